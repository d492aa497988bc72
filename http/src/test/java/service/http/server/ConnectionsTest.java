package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.http.auth.Tokens;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.http.limit.Refusals;

/** How many connections a server takes, and whose. */
final class ConnectionsTest {
    private static final int MAX = 16;

    /** Three quarters of them, for one address or actor alone. */
    private static final int SHARE = 12;

    private static final Limits LIMITS = Limits.DEFAULTS.with(Limit.MAX_CONNECTIONS, MAX);

    private final List<RawConnection> connections = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (RawConnection connection : connections) {
            connection.close();
        }
    }

    private RawConnection connect(TestServer server) throws IOException {
        RawConnection connection = server.connect();
        connections.add(connection);
        return connection;
    }

    private static String echo(String token) {
        return "POST /test/echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
                + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    }

    @Test
    void oneConnectionTooManyIsAnsweredAndThePlaceOfAClosedOneIsFree() throws IOException {
        try (TestServer server = new TestServer(LIMITS)) {
            for (int i = 0; i < SHARE; i++) {
                assertThat(connect(server).send(echo("any")).read().status()).isEqualTo(200);
            }
            RawConnection.Response refusal = connect(server).read();
            assertThat(refusal.status()).isEqualTo(429);
            assertThat(refusal.header("Retry-After")).isEqualTo("1");
            assertThat(refusal.header("Connection")).isEqualTo("close");
            assertThat(refusal.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(refusal.body()).contains("\"code\":\"too_many_requests\"", "its share of the connections");
            assertThat(server.server.connections()).isEqualTo(SHARE);
            assertThat(server.server.admission().refusals().of(Refusals.Cause.ACTOR_CONNECTIONS))
                    .isEqualTo(1);
            assertThat(connections.getFirst().send(echo("any")).read().status())
                    .as("the others go on")
                    .isEqualTo(200);
            connections.getFirst().close();
            await().until(() -> server.server.connections() == SHARE - 1);
            assertThat(connect(server).send(echo("any")).read().status()).isEqualTo(200);
        }
    }

    /** Also many more than are accepted at one time, and those that have sent a request without a right. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "GET / HTTP/1.1\r\nHo",
                "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "POST /test/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
                "POST /test/echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n\r\n"
            })
    void thoseWhoOnlyConnectKeepNobodyOut(String sent) throws IOException {
        try (TestServer server = new TestServer(LIMITS, Tokens.of("{\"ada\":\"t-1\"}"))) {
            RawConnection known = connect(server);
            assertThat(known.send(echo("t-1")).read().status()).isEqualTo(200);
            for (int i = 0; i < 10 * MAX; i++) {
                RawConnection connection = connect(server);
                if (!sent.isEmpty()) {
                    connection.send(sent);
                }
            }
            // The server handles them on several threads: one that is handled late would take the next one's place.
            List<RawConnection> open = new ArrayList<>(connections.subList(1, connections.size()));
            await().until(() -> {
                open.removeIf(RawConnection::hasEnded);
                return open.size() == server.server.connections() - 1;
            });
            assertThat(connect(server).send(echo("t-1")).read().status()).isEqualTo(200);
            assertThat(known.send(echo("t-1")).read().status()).isEqualTo(200);
            assertThat(server.server.connections()).isLessThanOrEqualTo(MAX);
        }
    }

    @Test
    void anActorHasItsShareOfTheConnectionsOfAnAddress() throws IOException {
        try (TestServer server = new TestServer(LIMITS, Tokens.of("{\"ada\":\"t-1\",\"bob\":\"t-2\"}"))) {
            for (int i = 0; i < SHARE; i++) {
                assertThat(connect(server).send(echo("t-1")).read().status()).isEqualTo(200);
            }
            RawConnection.Response refusal = connect(server).send(echo("t-1")).read();
            assertThat(refusal.status()).isEqualTo(429);
            assertThat(refusal.header("Connection")).isEqualTo("close");
            assertThat(refusal.body()).contains("`ada` has its share of the connections");
            RawConnection bob = connect(server);
            assertThat(bob.send(echo("t-2")).read().status()).isEqualTo(200);
            assertThat(bob.send(echo("t-1")).read().status())
                    .as("a connection is that of the last actor")
                    .isEqualTo(429);
            for (RawConnection connection : connections) {
                connection.close();
            }
            await().until(() -> server.server.connections() == 0);
        }
    }
}
