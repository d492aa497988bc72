package service.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.http.limit.Limit;
import service.http.limit.Limits;

/** Clients of HTTP/1.0, of which nginx with its defaults is one. */
final class OldClientsTest {
    private static final String HOST = "Host: localhost\r\n";

    private final TestServer server = new TestServer(Limits.DEFAULTS.with(Limit.DRAIN_TIMEOUT_SECONDS, 1));

    @AfterEach
    void stop() {
        server.close();
    }

    private Socket ask(String request) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4 << 10);
        socket.connect(server.server.address());
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(request.getBytes(UTF_8));
        return socket;
    }

    private static String get(String path, String headers) {
        return "GET " + path + " HTTP/1.0\r\n" + HOST + headers + "\r\n";
    }

    @Test
    void aWholeStreamEndsWithTheConnection() throws IOException {
        try (Socket socket = ask(get("/test/million", ""))) {
            String all = new String(socket.getInputStream().readAllBytes(), UTF_8);
            assertThat(all)
                    .startsWith("HTTP/1.0 200 OK")
                    .contains("Connection: close")
                    .doesNotContain("chunked");
            assertThat(all.length() - all.indexOf("\r\n\r\n") - 4).isGreaterThanOrEqualTo(1_000_000);
        }
    }

    /** It would look whole if the connection were only closed. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Connection: keep-alive\r\n"})
    void aStreamThatFailsIsReset(String headers) throws IOException {
        try (Socket socket = ask(get("/test/cut", headers))) {
            assertReset(socket.getInputStream());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Accept-Encoding: gzip\r\n"})
    void aStreamThatIsOpenWhenTheServerEndsIsReset(String headers) throws IOException {
        try (Socket socket = ask(get("/test/endless", headers))) {
            InputStream in = socket.getInputStream();
            assertThat(in.readNBytes(1_000)).hasSize(1_000);
            server.close();
            assertReset(in);
        }
    }

    private static void assertReset(InputStream in) {
        assertThatThrownBy(in::readAllBytes).isInstanceOf(SocketException.class).hasMessageContaining("reset");
    }

    /** The answers with a length, of each kind of sending. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /healthz",
                "HEAD /healthz",
                "GET /test/large",
                "GET /test/fault",
                "GET /nowhere",
                "BREW /healthz",
                "GET /test/early"
            })
    void aConnectionThatStaysOpenSaysSo(String request) throws IOException {
        boolean head = request.startsWith("HEAD");
        try (RawConnection connection = server.connect()) {
            for (String option : new String[] {"keep-alive", "Keep-Alive"}) {
                connection.send(request + " HTTP/1.0\r\n" + HOST + "Connection: " + option + "\r\n\r\n");
                RawConnection.Response response = connection.read(!head);
                assertThat(response.header("Connection")).isEqualToIgnoringCase("keep-alive");
                assertThat(response.header("Content-Length")).isNotNull();
            }
            connection.send(request + " HTTP/1.0\r\n" + HOST + "\r\n");
            assertThat(connection.read(!head).header("Connection")).isEqualTo("close");
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aConnectionThatClosesSaysSoAlthoughItWasAskedToStay() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(
                    "POST /healthz HTTP/1.0\r\n" + HOST + "Connection: keep-alive\r\nContent-Length: 2\r\n\r\n{}");
            assertThat(connection.read().header("Connection")).isEqualTo("close");
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aClientOfTheNextVersionIsToldNothing() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send("GET /healthz HTTP/1.1\r\n" + HOST + "Connection: keep-alive\r\n\r\n");
            assertThat(connection.read().header("Connection")).isNull();
        }
    }
}
