package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.http.limit.Limit;
import service.http.limit.Limits;

/**
 * The framing of requests, and the answers to malformed ones. Raw sockets, because HTTP clients refuse to send most of
 * them. Those that wait for a time limit do so at the same time.
 */
final class FramingTest {
    private static final String JSON = "Content-Type: application/json\r\n";

    private static final Limits LIMITS =
            Limits.DEFAULTS.with(Limit.REQUEST_BYTES_MAX, 2_000).with(Limit.LOAD_BYTES_MAX, 5_000);

    /** The usual time in which a body must arrive. */
    private static final long BODY_LIMIT_SECONDS = LIMITS.get(Limit.BODY_TIMEOUT_SECONDS);

    /** With the usual time limits, because a loaded machine may take seconds for a request. */
    private final TestServer server = new TestServer(LIMITS);

    @AfterEach
    void stop() {
        server.close();
    }

    /** A server with one short time limit, for a test that waits until the time is over. */
    private static TestServer brief(Limit limit, int seconds) {
        return new TestServer(LIMITS.with(limit, seconds));
    }

    private static String post(String path, String headers, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n" + body;
    }

    private static String sized(String path, String body) {
        return post(path, JSON + "Content-Length: " + body.length() + "\r\n", body);
    }

    @Test
    void requestsThatArriveTogetherAreAnsweredInTheirOrder() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(
                    sized("/test/echo", "{\"n\":1}") + sized("/test/brief", "{\"n\":2}") + sized("/test/echo", "{}"));
            assertThat(connection.read().body()).isEqualTo("{\"n\":1}");
            assertThat(connection.read().body()).isEqualTo("{\"n\":2}");
            assertThat(connection.read().body()).isEqualTo("{}");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/test/echo", "/test/brief"})
    void aBodyMayArriveByteByByte(String path) throws IOException {
        try (RawConnection connection = server.connect()) {
            for (char c : sized(path, "{\"n\":1}").toCharArray()) {
                connection.send(String.valueOf(c));
            }
            assertThat(connection.read().body()).isEqualTo("{\"n\":1}");
            connection.send(sized(path, "{}"));
            assertThat(connection.read().body()).as("the connection is kept").isEqualTo("{}");
        }
    }

    @Test
    void aChunkedBodyAtTheLimitIsTakenAndOneByteMoreIsNot() throws IOException {
        String body = "\"" + "x".repeat(1_998) + "\"";
        String atLimit = "7d0\r\n" + body + "\r\n0\r\n\r\n";
        try (RawConnection connection = server.connect()) {
            connection.send(post("/test/echo", JSON + "Transfer-Encoding: chunked\r\n", atLimit));
            assertThat(connection.read().body()).isEqualTo(body);
            connection.send(
                    post("/test/echo", JSON + "Transfer-Encoding: chunked\r\n", "7d1\r\n " + body + "\r\n0\r\n\r\n"));
            RawConnection.Response refusal = connection.read();
            assertThat(refusal.status()).isEqualTo(413);
            assertThat(refusal.body())
                    .contains("\"code\":\"resource_limit\"")
                    .contains("\"resource_limit\":{\"resource\":\"request_body_bytes\",\"limit\":2000}");
        }
    }

    @Test
    @Execution(CONCURRENT)
    void aChunkedBodyThatNeverEndsIsRefusedAndTheConnectionClosed() throws IOException {
        try (TestServer brief = brief(Limit.PROGRESS_TIMEOUT_SECONDS, 1);
                RawConnection connection = brief.connect()) {
            connection.send(post("/test/echo", JSON + "Transfer-Encoding: chunked\r\n", ""));
            String chunk = "400\r\n" + "x".repeat(1_024) + "\r\n";
            for (int i = 0; i < 4; i++) {
                connection.sendUnlessClosed(chunk);
            }
            RawConnection.Response refusal = connection.read();
            assertThat(refusal.status()).isEqualTo(413);
            assertThat(refusal.header("Connection")).isEqualTo("close");
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    @Test
    void anAnnouncedBodyBeyondTheLimitIsRefusedBeforeItIsSent() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(post("/test/echo", JSON + "Content-Length: 999999999\r\nExpect: 100-continue\r\n", ""));
            RawConnection.Response refusal = connection.read();
            assertThat(refusal.status()).isEqualTo(413);
            assertThat(refusal.body()).contains("\"actual\":999999999");
        }
    }

    @Test
    @Execution(CONCURRENT)
    void aRefusedSenderMayFinishItsBodyBeforeTheConnectionCloses() throws IOException {
        String piece = " ".repeat(100_000);
        try (RawConnection connection = server.connect()) {
            connection.send(post("/test/echo", JSON + "Content-Length: 1000000\r\n", ""));
            RawConnection.Response refusal = connection.read();
            assertThat(refusal.status()).isEqualTo(413);
            assertThat(refusal.header("Connection")).isEqualTo("close");
            for (int i = 0; i < 10; i++) {
                connection.send(piece);
            }
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    @Test
    void expect100ContinueIsAnsweredWithContinue() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(post("/test/echo", JSON + "Content-Length: 2\r\nExpect: 100-continue\r\n", ""));
            assertThat(connection.read(false).status()).isEqualTo(100);
            connection.send("{}");
            assertThat(connection.read().body()).isEqualTo("{}");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gzip, chunked",
                "xchunked",
                "chunked, chunked",
                "identity",
                "chunked\r\nTransfer-Encoding: chunked"
            })
    void onlyChunkedIsATransferEncoding(String encoding) throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.sendUnlessClosed(
                    post("/test/echo", JSON + "Transfer-Encoding: " + encoding + "\r\n", "2\r\n{}\r\n0\r\n\r\n"));
            RawConnection.Response refusal = connection.read();
            assertThat(refusal.status()).isEqualTo(400);
            assertThat(refusal.header("Connection")).isEqualTo("close");
        }
    }

    @Test
    void contentLengthTogetherWithChunkedIsRefused() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.sendUnlessClosed(post(
                    "/test/echo",
                    JSON + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
                    "2\r\n{}\r\n0\r\n\r\n"));
            assertThat(connection.read().status()).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @Execution(CONCURRENT)
    @ValueSource(strings = {"/test/echo", "/test/lines"})
    void aBodyThatStopsArrivingTimesOut(String path) throws IOException {
        String type = path.endsWith("lines") ? "Content-Type: application/x-ndjson\r\n" : JSON;
        try (TestServer brief = brief(Limit.PROGRESS_TIMEOUT_SECONDS, 1);
                RawConnection connection = brief.connect()) {
            long startNanos = System.nanoTime();
            connection.send(post(path, type + "Content-Length: 100\r\n", "{"));
            assertThat(connection.isClosedByServer()).isTrue();
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos))
                    .isGreaterThanOrEqualTo(900);
        }
    }

    @ParameterizedTest
    @Execution(CONCURRENT)
    @ValueSource(strings = {"/test/echo", "/test/lines"})
    void aBodyThatArrivesTooSlowlyTimesOut(String path) throws IOException {
        String type = path.endsWith("lines") ? "Content-Type: application/x-ndjson\r\n" : JSON;
        try (TestServer brief = brief(Limit.BODY_TIMEOUT_SECONDS, 2);
                RawConnection connection = brief.connect()) {
            long startNanos = System.nanoTime();
            connection.send(post(path, type + "Content-Length: 1000\r\n", "{"));
            await().atMost(BODY_LIMIT_SECONDS / 2, TimeUnit.SECONDS)
                    .pollInterval(100, TimeUnit.MILLISECONDS)
                    .untilAsserted(
                            () -> assertThatThrownBy(() -> connection.send(" ")).isInstanceOf(IOException.class));
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos))
                    .isGreaterThanOrEqualTo(1_500);
        }
    }

    @Test
    @Execution(CONCURRENT)
    void headersThatArriveTooSlowlyTimeOut() throws IOException {
        try (TestServer brief = brief(Limit.HEADER_TIMEOUT_SECONDS, 1);
                RawConnection connection = brief.connect()) {
            connection.send("GET /healthz HTTP/1.1\r\nHost:");
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }

    @Test
    void streamedBodiesAreLimitedToo() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(
                    post("/test/lines", "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n", "")
                            + ("3e8\r\n" + "{}\n".repeat(333) + "\n\r\n").repeat(5)
                            + "0\r\n\r\n");
            assertThat(connection.read().body()).isEqualTo("\"1670\"");
            connection.sendUnlessClosed(
                    post("/test/lines", "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n", "")
                            + ("3e8\r\n" + "{}\n".repeat(333) + "\n\r\n").repeat(6)
                            + "0\r\n\r\n");
            assertThat(connection.read().status()).isEqualTo(413);
        }
    }

    @Test
    void longUrlsAndHeadersAreRefused() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send("GET /healthz?" + "a".repeat(9_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            RawConnection.Response refusal = connection.read();
            assertThat(refusal.status()).isEqualTo(413);
            assertThat(refusal.body()).contains("\"resource\":\"url_bytes\",\"limit\":8192");
        }
        try (RawConnection connection = server.connect()) {
            connection.sendUnlessClosed(
                    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + "a".repeat(60_000) + "\r\n\r\n");
            assertThat(connection.read().status()).isEqualTo(400);
            assertThat(connection.isClosedByServer()).isTrue();
        }
    }
}
