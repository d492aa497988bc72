package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import service.http.auth.Authenticator;
import service.http.auth.Tokens;
import service.http.limit.Limit;
import service.http.limit.Limits;

/** How many requests the server takes at once, and how it stops. */
final class AdmissionTest {
    private static final String BLOCK = "POST /test/block HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String LATER = "POST /test/later HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String READY = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private static final String LATER_WITHOUT_BODY = """
            POST /test/later HTTP/1.1
            Host: localhost
            Content-Type: application/json
            Content-Length: 2
            Expect: 100-continue

            """.replace("\n", "\r\n");

    @Test
    void requestsBeyondTheWorkingAndTheWaitingAreRefused() throws Exception {
        Limits limits = Limits.DEFAULTS.with(Limit.MAX_INFLIGHT, 1).with(Limit.MAX_WAITING, 1);
        try (TestServer server = new TestServer(limits);
                RawConnection first = server.connect();
                RawConnection second = server.connect();
                RawConnection third = server.connect()) {
            first.send(BLOCK);
            assertThat(server.blocked.await(5, TimeUnit.SECONDS)).isTrue();
            // Half a body: the request counts as running but does not compute.
            second.send(
                    "POST /test/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{");
            await().until(() -> server.server.admission().inside() == 2);
            third.send(BLOCK);
            assertThat(third.read().status()).isEqualTo(429);
            third.send(READY);
            assertThat(third.read().status()).as("health needs no place").isEqualTo(200);
            second.send("}");
            server.release.countDown();
            assertThat(first.read().body()).isEqualTo("\"released\"");
            assertThat(second.read().body()).isEqualTo("{}");
            // The places become free after the last byte of the answers.
            await().until(() -> server.server.admission().inside() == 0);
            third.send(BLOCK);
            assertThat(third.read().status()).isEqualTo(200);
        }
    }

    @Test
    void callersWithoutANameCountAsOneActorWhereALimitIsSet() throws Exception {
        Limits limits = Limits.DEFAULTS.with(Limit.PER_ACTOR_INFLIGHT_MAX, 1);
        try (TestServer server = new TestServer(limits);
                RawConnection first = server.connect();
                RawConnection second = server.connect()) {
            first.send(LATER);
            await().until(() -> server.server.admission().inside() == 1);
            second.send(LATER_WITHOUT_BODY);
            RawConnection.Response refusal = second.read();
            assertThat(refusal.status()).as("before the body").isEqualTo(429);
            assertThat(refusal.header("Retry-After")).isEqualTo("1");
            assertThat(refusal.body()).contains("callers without a credential");
            server.outcome.complete("done");
            assertThat(first.read().body()).isEqualTo("\"done\"");
        }
    }

    @Test
    void aWaitingWriteHoldsNoThreadAndIsAnsweredWhenItIsDurable() throws Exception {
        try (TestServer server = new TestServer(Limits.DEFAULTS);
                RawConnection connection = server.connect()) {
            connection.send(LATER);
            server.outcome.complete("durable");
            assertThat(connection.read().body()).isEqualTo("\"durable\"");
        }
    }

    @Test
    void stoppingAnswersWhatIsInFlightAndRefusesTheRest() throws Exception {
        try (TestServer server = new TestServer(Limits.DEFAULTS);
                RawConnection inFlight = server.connect();
                RawConnection late = server.connect()) {
            inFlight.send(BLOCK);
            assertThat(server.blocked.await(5, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Boolean> drained = CompletableFuture.supplyAsync(server.server::drain);
            await().untilAsserted(() -> {
                try (RawConnection probe = server.connect()) {
                    probe.send(READY);
                    assertThat(probe.read().body()).contains("\"code\":\"shutting_down\"");
                }
            });
            late.send(LATER);
            RawConnection.Response refusal = late.read();
            assertThat(refusal.status()).isEqualTo(503);
            assertThat(refusal.header("Connection")).isEqualTo("close");
            assertThat(drained).isNotDone();
            server.release.countDown();
            assertThat(inFlight.read().body()).isEqualTo("\"released\"");
            assertThat(drained.get(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void withoutAPolicyATokenAllowsReadingOnly() throws IOException {
        Authenticator tokens = Tokens.of("{\"ada\":\"t-1\",\"bob\":\"t-2\"}");
        try (TestServer server = new TestServer(Limits.DEFAULTS, tokens);
                RawConnection connection = server.connect()) {
            connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(connection.read().status()).isEqualTo(200);
            connection.send("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
            RawConnection.Response anonymous = connection.read();
            assertThat(anonymous.status())
                    .as("routes are answered only after the credential")
                    .isEqualTo(401);
            assertThat(anonymous.header("WWW-Authenticate")).isEqualTo("Bearer");
            connection.send("GET /test/large HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t-3\r\n\r\n");
            assertThat(connection.read().header("WWW-Authenticate")).isEqualTo("Bearer error=\"invalid_token\"");
            connection.send("GET /test/large HTTP/1.1\r\nHost: localhost\r\nAuthorization: bEARER t-2\r\n\r\n");
            assertThat(connection.read().status()).isEqualTo(200);
            connection.send(
                    "GET /test/large HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t-2\r\nAuthorization: Bearer t-2\r\n\r\n");
            assertThat(connection.read().status()).isEqualTo(401);
            connection.send("GET /graphs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t-1\r\n\r\n");
            RawConnection.Response forbidden = connection.read();
            assertThat(forbidden.status()).isEqualTo(403);
            assertThat(forbidden.body()).contains("\"forbidden\":{\"action\":\"graph_list\"}");
            connection.send(
                    "POST /graphs/none/mutate HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t-1\r\n\r\n");
            assertThat(connection.read().status())
                    .as("permission comes before the graph")
                    .isEqualTo(403);
            connection.send(
                    "POST /graphs/none/queries/secret HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t-1\r\n\r\n");
            RawConnection.Response hidden = connection.read();
            assertThat(hidden.status())
                    .as("names of stored queries cannot be probed")
                    .isEqualTo(404);
            assertThat(hidden.body()).contains("stored query `secret` does not exist");
            connection.send(
                    "GET /graphs/none/queries HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t-1\r\n\r\n");
            assertThat(connection.read().body()).contains("\"action\":\"invoke_query\"");
        }
    }

    @Test
    void closeWaitsForARequestThatOutlivesTheDrainAndDoesNotInterruptIt() throws Exception {
        try (TestServer stopping = new TestServer(Limits.DEFAULTS.with(Limit.DRAIN_TIMEOUT_SECONDS, 0));
                RawConnection connection = stopping.connect()) {
            connection.send(BLOCK);
            stopping.blocked.await();
            FutureTask<Void> closing = new FutureTask<>(stopping.server::close, null);
            Thread closer = Thread.ofPlatform().start(closing);
            assertThat(connection.isClosedByServer()).isTrue();
            await().until(() -> Arrays.stream(closer.getStackTrace())
                    .anyMatch(frame -> frame.getClassName().equals(RequestThreads.class.getName())));
            stopping.release.countDown();
            closing.get();
            assertThat(stopping.interrupted).isFalse();
        }
    }
}
