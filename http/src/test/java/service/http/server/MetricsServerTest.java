package service.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MetricsServerTest {
    private static final String PAGE = "# TYPE a counter\na_total 1\n".repeat(1_000);

    private final MetricsServer server = MetricsServer.start(
            InetSocketAddress.createUnresolved("127.0.0.1", 0),
            List.of("metrics.example.org"),
            "text/plain",
            () -> PAGE.getBytes(UTF_8));

    @AfterEach
    void stop() {
        server.close();
    }

    /** The head of an answer and its body. */
    private record Got(String head, byte[] body) {}

    private Got ask(String method, String headers) throws IOException {
        return send(method + " /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers + "\r\n");
    }

    private Got send(String request) throws IOException {
        try (Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(UTF_8));
            byte[] all = socket.getInputStream().readAllBytes();
            int end = new String(all, UTF_8).indexOf("\r\n\r\n");
            return new Got(new String(all, 0, end, UTF_8), Arrays.copyOfRange(all, end + 4, all.length));
        }
    }

    @Test
    void aScrapeIsCompressedForAClientThatAcceptsIt() throws IOException {
        Got plain = ask("GET", "");
        assertThat(plain.head()).contains("200 OK", "Content-Length: " + PAGE.length(), "Vary: Accept-Encoding");
        assertThat(new String(plain.body(), UTF_8)).isEqualTo(PAGE);
        Got small = ask("GET", "Accept-Encoding: deflate, gzip;q=0.5\r\n");
        assertThat(small.head()).contains("Content-Encoding: gzip", "Content-Length: " + small.body().length);
        assertThat(small.body()).hasSizeLessThan(PAGE.length() / 10);
        try (GZIPInputStream bytes = new GZIPInputStream(new ByteArrayInputStream(small.body()))) {
            assertThat(new String(bytes.readAllBytes(), UTF_8)).isEqualTo(PAGE);
        }
        assertThat(ask("GET", "Accept-Encoding: gzip;q=0\r\n").head()).doesNotContain("gzip");
    }

    @Test
    void aHeadIsThatOfGet() throws IOException {
        for (String headers : new String[] {"", "Accept-Encoding: gzip\r\n"}) {
            Got head = ask("HEAD", headers);
            assertThat(head.body()).isEmpty();
            assertThat(withoutDate(head)).isEqualTo(withoutDate(ask("GET", headers)));
        }
        assertThat(ask("POST", "").head()).contains("405", "Allow: GET, HEAD");
    }

    /** A page that points its own name at the address is not answered, on no path. */
    @ParameterizedTest
    @CsvSource({
        "Host: localhost, 200",
        "Host: 127.0.0.1:9464, 200",
        "Host: METRICS.example.org:80, 200",
        "Host: evil.example, 403",
        "Host: localhost.evil.example, 403",
        "Host: 127.0.0.1.evil.example, 403",
        "Host: 10.1.2.3, 403",
        "Host:, 403"
    })
    void aHostThatIsNotItsOwnIsRefused(String host, int status) throws IOException {
        for (String path : new String[] {"/metrics", "/nowhere"}) {
            Got got = send("GET " + path + " HTTP/1.1\r\n" + host + "\r\nConnection: close\r\n\r\n");
            int expected = status == 200 && path.equals("/nowhere") ? 404 : status;
            assertThat(got.head()).startsWith("HTTP/1.1 " + expected).contains("nosniff", "same-origin");
            assertThat(new String(got.body(), UTF_8).equals(PAGE)).isEqualTo(expected == 200);
        }
    }

    private static String withoutDate(Got got) {
        return got.head().replaceFirst("Date: .*", "");
    }
}
