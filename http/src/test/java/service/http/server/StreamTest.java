package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.http.observe.RequestCounters;
import service.http.stream.ClientWaits;

/** Streams: bounded memory, the reader's speed, and no valid end when they were cut. */
final class StreamTest {
    private static final Limits LIMITS = Limits.DEFAULTS.with(Limit.MAX_STREAMS, 1);

    /** Shorter than the time without progress after which a server with {@link #LIMITS} ends a stream. */
    private static final Duration BEFORE_TIMEOUT = Duration.ofSeconds(20);

    private final TestServer server = new TestServer(LIMITS);

    @AfterEach
    void stop() {
        server.close();
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    @Test
    void aStreamThatFailsAfterItsHeadersIsCut() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(get("/test/cut"));
            assertThatThrownBy(connection::read).isInstanceOf(IOException.class);
        }
        assertThat(server.server.counters().snapshot()).containsEntry(new RequestCounters.Key("/test/cut", 0), 1L);
    }

    /**
     * Requests that were sent behind a stream are parsed on the I/O thread of the connection, as all others are: it may
     * close the connection and return its buffers at any time. {@code Conversation.begin} asserts it.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "", "GET / HTTP/1.1\r\nno field\r\n\r\n"})
    void requestsBehindAStreamAreParsedOnTheIoThread(String last) throws IOException {
        for (String stream : List.of("/test/million", "/test/name/short")) {
            try (RawConnection connection = server.connect()) {
                connection.send(get(stream) + get("/test/name/behind") + last);
                assertThat(connection.read().status()).isEqualTo(200);
                assertThat(connection.read().body()).isEqualTo("\"behind\"");
                if (!last.isEmpty()) {
                    assertThat(connection.read().status()).isEqualTo(last.contains("field") ? 400 : 200);
                }
            }
        }
    }

    /** A body that ended with the connection could not be told from one that was cut. */
    @Test
    void aStreamIsChunkedAlsoWhenTheConnectionCloses() throws IOException {
        String closing = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        try (RawConnection connection = server.connect()) {
            RawConnection.Response whole =
                    connection.send("GET /test/million" + closing).read();
            assertThat(whole.header("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(whole.header("Connection")).isEqualTo("close");
            assertThat(whole.body()).hasSize(11_000_000);
            assertThat(connection.isClosedByServer()).isTrue();
        }
        // The stream gives up its place after its last byte.
        await().until(() -> server.server.streamsAtWork() == 0);
        try (RawConnection connection = server.connect()) {
            connection.send("GET /test/cut" + closing);
            assertThatThrownBy(connection::read).isInstanceOf(IOException.class);
        }
        try (RawConnection connection = server.connect()) {
            RawConnection.Response refused =
                    connection.send("GET /test/early" + closing).read();
            assertThat(refused.status()).isEqualTo(404);
            assertThat(refused.header("Transfer-Encoding")).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/test/ticks", "/test/million"})
    void theHeadOfAStreamIsThatOfGet(String path) throws IOException {
        Map<String, String> headers = new TreeMap<>();
        try (RawConnection connection = server.connect()) {
            connection.send("HEAD " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            headers.putAll(connection.read(false).headers());
            connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(connection.read().status()).isEqualTo(200);
        }
        assertThat(headers).containsEntry("transfer-encoding", "chunked").doesNotContainKey("content-length");
        try (RawConnection connection = server.connect()) {
            connection.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            Map<String, String> body = new TreeMap<>(connection.head().headers());
            for (Map<String, String> each : List.of(headers, body)) {
                each.keySet().removeAll(List.of("date", "x-request-id"));
            }
            assertThat(headers).isEqualTo(body).containsEntry("x-accel-buffering", "no");
        }
    }

    @Test
    void aStreamThatFailsBeforeItsFirstByteIsAnError() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(get("/test/early"));
            RawConnection.Response response = connection.read();
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.header("Content-Type")).isEqualTo("application/json");
            connection.send(get("/test/million"));
            assertThat(connection.read().body()).as("the connection is kept").hasSize(11_000_000);
        }
    }

    @Test
    void aStalledReaderHoldsBoundedMemoryUntilItsConnectionIsClosed() throws IOException {
        try (TestServer brief = new TestServer(LIMITS.with(Limit.PROGRESS_TIMEOUT_SECONDS, 2));
                RawConnection connection = new RawConnection(brief.server.address(), 8_192)) {
            connection.send(get("/test/endless"));
            await().atMost(BEFORE_TIMEOUT).until(brief.endlessFailure::isDone);
            // The kernel buffers some megabytes on loopback; the server's own buffers are bounded in addition.
            assertThat(brief.produced.get()).isBetween(1L, 16L << 20);
        }
    }

    @Test
    void aStreamEndsAndFreesItsSlotWhenTheClientDisconnects() throws Exception {
        try (RawConnection connection = server.connect()) {
            connection.send(get("/test/endless"));
            await().until(() -> server.produced.get() > 1_000_000);
            try (RawConnection second = server.connect()) {
                second.send(get("/test/million"));
                RawConnection.Response refusal = second.read();
                assertThat(refusal.status()).isEqualTo(429);
                assertThat(refusal.header("Retry-After")).isEqualTo("1");
            }
        }
        assertThat(server.endlessFailure.get(BEFORE_TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(IOException.class);
        try (RawConnection third = server.connect()) {
            await().untilAsserted(() -> {
                third.send(get("/test/million"));
                assertThat(third.read().status()).isEqualTo(200);
            });
        }
    }

    private boolean wasAborted(String route) {
        return server.server.counters().snapshot().containsKey(new RequestCounters.Key(route, 0));
    }

    /** Long before the next comment would be written to it. */
    @Test
    void anIdleEventStreamEndsWhenItsClientLeaves() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(get("/test/ticks"));
            await().until(() -> server.server.waitingConsumers() == 1);
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> server.server.waitingConsumers() == 0);
        await().until(() -> wasAborted("/test/ticks"));
        assertThat(server.ticks.released).hasValue(server.ticks.given.get());
    }

    /** Bytes of a next request do not end the stream, and it goes on. */
    @Test
    void anEventStreamGoesOnWhenItsClientSendsMore() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(get("/test/ticks"));
            await().until(() -> server.server.waitingConsumers() == 1);
            connection.send(get("/healthz"));
            int given = server.ticks.given.get();
            server.ticks.more();
            await().until(() -> server.ticks.given.get() == given + 1 && server.server.waitingConsumers() == 1);
            assertThat(wasAborted("/test/ticks")).isFalse();
        }
        await().until(() -> {
            server.ticks.more();
            return wasAborted("/test/ticks");
        });
    }

    /** Also when requests that it has sent already wait behind that at work. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100})
    void aRequestAtWorkEndsWhenItsClientLeaves(int behind) throws Exception {
        try (RawConnection connection = server.connect()) {
            connection.send(get("/test/busy"));
            server.blocked.await();
            for (int i = 0; i < behind; i++) {
                connection.send(get("/healthz"));
            }
        }
        await().until(() -> wasAborted("/test/busy"));
    }

    /** A client that neither reads nor sends, when the server stops. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerThatStopsWaitsForNoClient(boolean sends) throws IOException {
        String some = "\r\nContent-Type: application/x-ndjson\r\nContent-Length: 9\r\n\r\n1";
        String request =
                sends ? get("/test/lines").replace("GET", "POST").replace("\r\n\r\n", some) : get("/test/endless");
        try (TestServer stopping = new TestServer(Limits.DEFAULTS.with(Limit.DRAIN_TIMEOUT_SECONDS, 1));
                RawConnection connection = new RawConnection(stopping.server.address(), 8_192)) {
            connection.send(request);
            await().until(() -> Thread.getAllStackTraces().values().stream()
                    .flatMap(Stream::of)
                    .anyMatch(frame -> frame.getClassName().equals(ClientWaits.class.getName())));
            stopping.server.close();
            assertThat(stopping.server.counters().snapshot().keySet())
                    .extracting(RequestCounters.Key::status)
                    .containsExactly(0);
        }
    }

    /** The bytes of a piece are reserved in the memory of the process until it is released. */
    @Test
    void everyPieceOfEventsIsReleasedAlsoWhenTheClientHasLeft() throws IOException {
        try (RawConnection connection = server.connect()) {
            connection.send(get("/test/ticks"));
            await().until(() -> server.server.waitingConsumers() == 1);
        }
        await().until(() -> {
            server.ticks.more();
            return server.server.counters().snapshot().containsKey(new RequestCounters.Key("/test/ticks", 0));
        });
        await().untilAsserted(() -> assertThat(server.ticks.released).hasValue(server.ticks.given.get()));
    }
}
