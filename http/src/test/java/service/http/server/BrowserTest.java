package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.http.auth.Tokens;
import service.http.limit.Limits;

/** The answers of the server to pages of other sites. Raw sockets, because Java's client sets these headers itself. */
final class BrowserTest {
    private static final String FOREIGN = "Origin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\n";

    private TestServer server = new TestServer(Limits.DEFAULTS);

    @AfterEach
    void stop() {
        server.close();
    }

    private RawConnection.Response ask(String request, String headers) throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(request + " HTTP/1.1\r\n" + headers + "\r\n");
            return connection.read(!request.startsWith("HEAD"));
        }
    }

    private String own() {
        return "127.0.0.1:" + server.server.address().getPort();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"POST /graphs/g/queries/q", "DELETE /graphs/g/branches/b", "PATCH /healthz", "PUT /nowhere"})
    void requestsOfOtherSitesAreRefused(String request) throws IOException {
        for (String headers : List.of(
                FOREIGN, "Sec-Fetch-Site: same-site\r\n", "Origin: null\r\n", "Origin: http://localhost:1\r\n")) {
            RawConnection.Response refusal = ask(request, "Host: " + own() + "\r\n" + headers);
            assertThat(refusal.status()).as(headers).isEqualTo(403);
            assertThat(refusal.body()).contains("\"code\":\"forbidden\"").contains("another origin");
        }
    }

    @Test
    void theOwnOriginIsServed() throws IOException {
        String own = "Host: " + own() + "\r\nOrigin: http://" + own() + "\r\nSec-Fetch-Site: same-origin\r\n"
                + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        try (RawConnection connection = server.connect()) {
            connection.send("POST /test/echo HTTP/1.1\r\n" + own);
            assertThat(connection.read().body()).isEqualTo("{}");
        }
    }

    @ParameterizedTest
    @CsvSource({"GET /healthz,200", "HEAD /healthz,200", "GET /test/large,200", "OPTIONS /test/echo,405"})
    void readsAndPreflightsAreAnsweredWithoutAllowingAnything(String request, int status) throws IOException {
        RawConnection.Response answer =
                ask(request, "Host: " + own() + "\r\nAccess-Control-Request-Method: POST\r\n" + FOREIGN);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.headers().keySet()).noneMatch(name -> name.startsWith("access-control"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /healthz", "GET /readyz", "HEAD /healthz", "OPTIONS /healthz", "GET /nowhere"})
    void aForeignHostIsRefusedEverywhere(String request) throws IOException {
        RawConnection.Response refusal = ask(request, "Host: evil.example:8080\r\n");
        assertThat(refusal.status()).isEqualTo(403);
        if (!request.startsWith("HEAD")) {
            assertThat(refusal.body())
                    .contains("\"code\":\"forbidden\"")
                    .contains("--allowed-host evil.example")
                    .contains("SERVICE_ALLOWED_HOSTS");
        }
    }

    @Test
    void aRequestWithoutAHostIsRefused() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send("GET /healthz HTTP/1.0\r\n\r\n");
            assertThat(connection.read().status()).isEqualTo(403);
        }
        assertThat(ask("GET /healthz", "").status()).isIn(400, 403);
        assertThat(ask("GET /healthz", "Host: localhost\r\nHost: evil.example\r\n")
                        .status())
                .isIn(400, 403);
    }

    @Test
    void anAllowedHostIsAnswered() throws IOException {
        server.close();
        server = new TestServer(Limits.DEFAULTS, "127.0.0.1", List.of("graphs.example.org"));
        assertThat(ask("GET /healthz", "Host: Graphs.Example.org\r\n").status()).isEqualTo(200);
        assertThat(ask("GET /healthz", "Host: evil.example\r\n").status()).isEqualTo(403);
    }

    @Test
    void aServerOnAllAddressesAnswersForTheOneThatWasReached() throws IOException {
        server.close();
        server = new TestServer(Limits.DEFAULTS, "0.0.0.0", List.of());
        int port = server.server.address().getPort();
        List<InetAddress> own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !(address instanceof Inet6Address))
                .toList();
        assertThat(own).isNotEmpty();
        for (InetAddress address : own) {
            try (RawConnection connection = new RawConnection(new InetSocketAddress(address, port))) {
                connection.send("GET /healthz HTTP/1.1\r\nHost: " + address.getHostAddress() + ":" + port + "\r\n\r\n");
                assertThat(connection.read().status()).isEqualTo(200);
                connection.send("GET /healthz HTTP/1.1\r\nHost: 198.51.100.1:" + port + "\r\n\r\n");
                assertThat(connection.read().status()).isEqualTo(403);
            }
        }
    }

    @Test
    void withCredentialsAnyHostIsAnsweredAndOtherSitesAreStillRefused() throws IOException {
        server.close();
        server = new TestServer(Limits.DEFAULTS, Tokens.of("{\"ada\":\"t-secret\"}"));
        assertThat(ask("GET /healthz", "Host: evil.example\r\n").status()).isEqualTo(200);
        assertThat(ask("POST /test/echo", "Host: evil.example\r\n" + FOREIGN).status())
                .as("the credential comes first")
                .isEqualTo(401);
        assertThat(ask("POST /test/echo", "Host: evil.example\r\nAuthorization: Bearer t-secret\r\n" + FOREIGN)
                        .status())
                .isEqualTo(403);
    }

    /** Also a refusal, one of a request that cannot be parsed, and a stream. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /graphs/none/schema HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /test/million HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /test/fault HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nno field\r\n\r\n"
            })
    void everyAnswerKeepsBrowsersFromGuessingAndSharing(String request) throws IOException {
        try (TestServer server = new TestServer(Limits.DEFAULTS);
                RawConnection connection = server.connect()) {
            RawConnection.Response answer = connection.send(request).read();
            assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(answer.header("Cross-Origin-Resource-Policy")).isEqualTo("same-origin");
        }
    }
}
