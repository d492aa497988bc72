package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import service.http.limit.Limit;
import service.http.limit.Limits;

/**
 * The answer to each kind of request that RFC 9112 does not allow, or that it allows and most clients never send. Each
 * request gets a connection of its own.
 */
final class MalformedRequestTest {
    private static final String HOST = "Host: localhost\r\n";
    private static final String GET = "GET /healthz HTTP/1.1\r\n" + HOST;
    private static final String POST = "POST /test/echo HTTP/1.1\r\n" + HOST + "Content-Type: application/json\r\n";
    private static final String CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n";

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer(Limits.DEFAULTS.with(Limit.PROGRESS_TIMEOUT_SECONDS, 1));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String line(String line) {
        return line + "\r\n" + HOST + "\r\n";
    }

    private static String get(String header) {
        return GET + header + "\r\n\r\n";
    }

    private static String length(String length) {
        return POST + "Content-Length: " + length + "\r\n\r\n{}";
    }

    /** Name, request, status of the answer, and whether the connection is closed after it. */
    static Stream<Arguments> requests() {
        return Stream.of(
                // Request line
                refused("no request line", "rubbish\r\n\r\n"),
                refused("control characters", "\u0001\u0002 / x\r\n\r\n"),
                refused("HTTP/0.9", "GET /healthz\r\n\r\n"),
                refused("an unknown version", line("GET /healthz HTTP/9.9")),
                refused("HTTP/2 as text", line("GET /healthz HTTP/2.0")),
                refused("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
                refused("a version in lower case", line("GET /healthz http/1.1")),
                kept("a later minor version", line("GET /healthz HTTP/1.2"), 200),
                refused("two spaces", line("GET  /healthz HTTP/1.1")),
                refused("tabs", line("GET\t/healthz\tHTTP/1.1")),
                refused("a space after the version", line("GET /healthz HTTP/1.1 ")),
                refused("a method that is no token", line("GE(T /healthz HTTP/1.1")),
                refused("a long method", line("A".repeat(300) + " /healthz HTTP/1.1")),
                kept("a method that no route has", line("BREW /healthz HTTP/1.1"), 405),
                kept("a method in lower case", line("get /healthz HTTP/1.1"), 405),
                kept("TRACE", line("TRACE /healthz HTTP/1.1"), 405),
                kept("an empty line first", "\r\n" + GET + "\r\n", 200),
                kept("some empty lines first", "\r\n".repeat(4) + GET + "\r\n", 200),
                refused("many empty lines first", "\r\n".repeat(5) + GET + "\r\n"),
                refused("CR first", "\r" + GET + "\r\n"),
                refused("LF first", "\n" + GET + "\r\n"),
                refused("an empty line and CR first", "\r\n\r" + GET + "\r\n"),
                refused("an unknown version behind an empty line", "\r\n" + line("GET /healthz HTTP/9.9")),
                refused("lines that end with LF", "GET /healthz HTTP/1.1\nHost: localhost\n\n"),
                // Target
                refused("a percent sign without digits", line("GET /test/name/%zz HTTP/1.1")),
                refused("the same in the query string", line("GET /test/parameters?a=%zz HTTP/1.1")),
                refused("NUL in the path", line("GET /test/name/a\0b HTTP/1.1")),
                refused("a path that is not ASCII", line("GET /test/name/\u00e4 HTTP/1.1")),
                refused("a fragment", line("GET /healthz#a HTTP/1.1")),
                kept("absolute form", line("GET http://localhost/healthz HTTP/1.1"), 200),
                kept("absolute form with a scheme in upper case", line("GET HTTP://localhost/healthz HTTP/1.1"), 200),
                kept("absolute form with another scheme", line("GET ftp://localhost/healthz HTTP/1.1"), 200),
                kept("absolute form with another port", line("GET http://localhost:81/healthz HTTP/1.1"), 200),
                refused("absolute form with another host", line("GET http://example.org/healthz HTTP/1.1")),
                refused("absolute form without host", line("GET http:///healthz HTTP/1.1")),
                closed("authority form", line("CONNECT localhost:80 HTTP/1.1"), 404),
                refused("authority form with GET", line("GET localhost:80 HTTP/1.1")),
                kept("asterisk form", line("OPTIONS * HTTP/1.1"), 404),
                refused("asterisk form with GET", line("GET * HTTP/1.1")),
                kept("a long URL", line("GET /healthz?" + "a".repeat(9_000) + " HTTP/1.1"), 413),
                refused("many parameters", line("GET /test/parameters?" + "a=b&".repeat(1_025) + " HTTP/1.1")),
                kept("an empty first segment", line("GET //healthz HTTP/1.1"), 404),
                // Headers
                refused("no Host", "GET /healthz HTTP/1.1\r\n\r\n"),
                kept("an empty Host", "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n", 403),
                closed("no Host in HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n", 403),
                refused("two Hosts", get("Host: localhost")),
                kept("a Host in upper case", "GET /healthz HTTP/1.1\r\nHOST: LOCALHOST\r\n\r\n", 200),
                kept("an address of IPv6 as Host", "GET /healthz HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 200),
                refused("a list of Hosts", "GET /healthz HTTP/1.1\r\nHost: localhost, localhost\r\n\r\n"),
                refused("a Host with a user", "GET /healthz HTTP/1.1\r\nHost: ada@localhost\r\n\r\n"),
                refused("a Host with a path", "GET /healthz HTTP/1.1\r\nHost: localhost/a\r\n\r\n"),
                refused("a port beyond 65535", "GET /healthz HTTP/1.1\r\nHost: localhost:99999\r\n\r\n"),
                refused("white space before the colon", get("X : a")),
                refused("white space before the colon of a length", POST + "Content-Length : 2\r\n\r\n{}"),
                refused("a header without colon", get("Xa")),
                refused("a header without name", get(": a")),
                refused("a name that is no token", get("X(: a")),
                refused("NUL in a value", get("X: a\0b")),
                refused("a control character in a value", get("X: a\u0001b")),
                refused("CR in a value", get("X: a\rb")),
                kept("a folded value", get("X: a\r\n b"), 200),
                refused("a header that ends with LF", GET + "X: a\n\r\n"),
                refused("a folded first line", "GET /healthz HTTP/1.1\r\n X: a\r\n" + HOST + "\r\n"),
                kept("headers over 16 KiB", get("X: " + "a".repeat(17_000)), 413),
                refused("headers over 48 KiB", get("X: " + "a".repeat(60_000))),
                refused("1,025 headers", get("X: a\r\n".repeat(1_023) + "X: a")),
                kept("another Expect", POST + "Expect: tea\r\nContent-Length: 2\r\n\r\n{}", 200),
                kept("100-continue without a body", get("Expect: 100-continue"), 200),
                kept("an Upgrade", get("Connection: Upgrade\r\nUpgrade: h2c"), 200),
                kept("another Upgrade", get("Connection: Upgrade\r\nUpgrade: websocket"), 200),
                kept("TE", get("Connection: TE\r\nTE: trailers, deflate;q=0.5"), 200),
                kept("a Connection that names headers", get("Connection: keep-alive, Host, X-Request-Id"), 200),
                closed("a Connection that closes", get("Connection: close"), 200),
                closed("a Connection that also closes", get("Connection: X-A, Close"), 200),
                closed("a second Connection that closes", get("Connection: X-A\r\nConnection: close"), 200),
                closed("HTTP/1.0", "GET /healthz HTTP/1.0\r\n" + HOST + "\r\n", 200),
                // Framing
                refused("a length that is no number", length("abc")),
                refused("no length", length("")),
                refused("a negative length", length("-1")),
                refused("a length with a sign", length("+2")),
                refused("a hexadecimal length", length("0x2")),
                refused("a list of lengths", length("2, 2")),
                refused("a length of 2^63", length("9223372036854775808")),
                refused("a length beyond 2^64", length("99999999999999999999999")),
                kept("a length with leading zeros", length("0002"), 200),
                refused("lengths that differ", POST + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
                refused("two lengths", POST + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"),
                refused(
                        "length and chunks",
                        POST + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
                refused("an empty coding", POST + "Transfer-Encoding:\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
                kept("a coding in upper case", CHUNKED.replace("chunked", "CHUNKED") + "2\r\n{}\r\n0\r\n\r\n", 200),
                refused("another coding", POST + "Transfer-Encoding: gzip\r\n\r\n"),
                refused("chunks in HTTP/1.0", CHUNKED.replace("HTTP/1.1", "HTTP/1.0") + "2\r\n{}\r\n0\r\n\r\n"),
                kept("an extension of a chunk", CHUNKED + "2;a=b\r\n{}\r\n0\r\n\r\n", 200),
                kept("an extension in quotes", CHUNKED + "2 ;a=\"b;c\"\r\n{}\r\n0;d\r\n\r\n", 200),
                kept("chunk lines that end with LF", CHUNKED + "2\n{}\r\n0\n\r\n", 200),
                kept("chunks with leading zeros", CHUNKED + "0000000002\r\n{}\r\n000\r\n\r\n", 200),
                kept("trailers", CHUNKED + "2\r\n{}\r\n0\r\nX: y\r\n\r\n", 200),
                kept("a length as a trailer", CHUNKED + "2\r\n{}\r\n0\r\nContent-Length: 9\r\n\r\n", 200),
                refused("a body that the route does not take", get("Content-Length: 2") + "{}"));
    }

    private static Arguments refused(String name, String request) {
        return closed(name, request, 400);
    }

    private static Arguments closed(String name, String request, int status) {
        return Arguments.of(name, request, status, true);
    }

    private static Arguments kept(String name, String request, int status) {
        return Arguments.of(name, request, status, false);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("requests")
    void isAnswered(String name, String request, int status, boolean closed) throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.sendUnlessClosed(request);
            RawConnection.Response response = connection.read();
            assertThat(response.status()).as(response.body()).isEqualTo(status);
            String id = response.header("X-Request-Id");
            assertThat(id).hasSize(26);
            assertThat(response.header("Cache-Control")).isEqualTo("no-store");
            assertThat(response.header("Content-Type")).isEqualTo("application/json");
            if (status != 200) {
                assertThat(response.body()).startsWith("{\"error\":\"").contains("\"request_id\":\"" + id + "\"");
            }
            if (status == 400) {
                assertThat(response.body()).contains("\"code\":\"bad_request\"");
            }
            if (closed) {
                assertThat(response.header("Connection")).isEqualTo("close");
                assertThat(connection.isClosedByServer()).isTrue();
            } else {
                connection.send(GET + "\r\n");
                assertThat(connection.read().status()).isEqualTo(200);
            }
        }
    }

    /**
     * The body ends where the chunks are damaged, or where they have too many bytes without content, and the connection
     * ends with it.
     */
    static Stream<String> damagedChunks() {
        return Stream.of(
                "zz\r\n{}\r\n0\r\n\r\n",
                "-2\r\n{}\r\n0\r\n\r\n",
                "ffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
                "2\r\n{}xx0\r\n\r\n",
                "0x2\r\n{}\r\n0\r\n\r\n",
                "2\r\n{}\r\n0\r\n" + "X: aaaaaaaaaaaaaaaa\r\n".repeat(10_000) + "\r\n",
                "2;" + "a".repeat(200_000) + "\r\n{}\r\n0\r\n\r\n");
    }

    @ParameterizedTest
    @MethodSource("damagedChunks")
    void damagedChunksCloseTheConnectionWithoutAnAnswer(String chunks) throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.sendUnlessClosed(CHUNKED + chunks);
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aRefusedHeadWithABodyAnnouncesThatTheConnectionCloses() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send("HEAD /healthz HTTP/1.1\r\n" + HOST + "Content-Length: 2\r\n\r\n{}");
            RawConnection.Response response = connection.read(false);
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.header("Connection")).isEqualTo("close");
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    @Test
    void requestsBeforeAMalformedOneAreAnswered() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(GET + "\r\n" + GET + "\r\nrubbish\r\n\r\n" + GET + "\r\n");
            assertThat(connection.read().status()).isEqualTo(200);
            assertThat(connection.read().status()).isEqualTo(200);
            assertThat(connection.read().status()).isEqualTo(400);
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    /** Some clients end a body with CRLF that its length does not count. */
    @Test
    void emptyLinesBetweenRequestsAreIgnored() throws IOException {
        String post = POST + "Content-Length: 2\r\n\r\n{}";
        try (RawConnection connection = server.connect()) {
            connection.send(post + "\r\n");
            assertThat(connection.read().status()).isEqualTo(200);
            connection.send(post + "\r\n" + post + "\r\n\r\n" + GET + "\r\n");
            for (int i = 0; i < 3; i++) {
                assertThat(connection.read().status()).isEqualTo(200);
            }
            connection.send("\r");
            connection.send("\n");
            for (int i = 0; i < post.length(); i++) {
                connection.send(post.substring(i, i + 1));
            }
            connection.send("\r");
            assertThat(connection.read().status()).isEqualTo(200);
            connection.send("\n" + GET + "\r\n");
            assertThat(connection.read().status()).isEqualTo(200);
            connection.send(GET + "\r\n\r" + GET + "\r\n");
            assertThat(connection.read().status()).isEqualTo(200);
            assertThat(connection.read().status()).isEqualTo(400);
        }
    }

    @Test
    void aVersionIsRefusedAlsoLaterOnAConnectionAndByteByByte() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(POST + "Content-Length: 12\r\n\r\n");
            connection.send("\"a HTTP/9.9\"");
            assertThat(connection.read().body()).isEqualTo("\"a HTTP/9.9\"");
            for (char c : line("GET /healthz HTTP/9.9").toCharArray()) {
                connection.sendUnlessClosed(String.valueOf(c));
            }
            assertThat(connection.read().status()).isEqualTo(400);
        }
    }

    @Test
    void aRefusedClientMayFinishWhatItSends() throws IOException {
        // The usual timeout, because a loaded machine may take longer than a second for the body.
        try (TestServer patient = new TestServer(Limits.DEFAULTS);
                RawConnection connection = patient.connect()) {
            connection.send(POST + "Content-Length: +1000000\r\n\r\n");
            for (int i = 0; i < 10; i++) {
                connection.send(" ".repeat(100_000));
            }
            assertThat(connection.read().status()).isEqualTo(400);
        }
    }
}
