package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.xnio.OptionMap;
import service.http.limit.Holder;
import service.http.limit.Refusals;

/** Connections without a request end in time, and a closed one is not kept until then. */
final class ConnectionDeadlineTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final String REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

    /** Whether the requests are those of an actor. */
    private volatile boolean admitted;

    private final List<WeakReference<Object>> connections = new CopyOnWriteArrayList<>();

    private Listener listen(Duration idle, Duration headers) throws IOException {
        return Listener.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                OptionMap.EMPTY,
                this::answer,
                new ConnectionDeadline.Times(idle, headers),
                new Connections(100, 100, new Refusals(), why -> new byte[0]),
                () -> new byte[0]);
    }

    private void answer(HttpServerExchange exchange) {
        if (admitted) {
            assertThat(ParseRefusals.seat(exchange).hold(Holder.actor("ada"))).isTrue();
        }
        connections.add(new WeakReference<>(exchange.getConnection()));
        exchange.getResponseSender().send("ok");
    }

    private static Socket connect(Listener listener) throws IOException {
        Socket socket =
                new Socket(listener.address().getAddress(), listener.address().getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void readAnswer(Socket socket) throws IOException {
        StringBuilder read = new StringBuilder();
        while (!read.toString().endsWith("\r\n\r\nok")) {
            int next = socket.getInputStream().read();
            assertThat(next).as("after %s", read).isNotNegative();
            read.append((char) next);
        }
    }

    @Test
    void theMemoryOfAClosedConnectionIsReleasedAtOnce() throws IOException {
        Listener listener = listen(LONG, LONG);
        try {
            for (int i = 0; i < 10; i++) {
                try (Socket socket = connect(listener)) {
                    send(socket, REQUEST);
                    readAnswer(socket);
                }
            }
            assertThat(connections).hasSize(10);
            await().untilAsserted(() -> {
                System.gc();
                assertThat(connections).allMatch(reference -> reference.get() == null);
            });
        } finally {
            listener.close();
        }
    }

    @Test
    void aConnectionWithoutARequestIsClosed() throws IOException {
        // Longer than SHORT, because the request of the used connection must arrive in this time.
        Listener listener = listen(Duration.ofSeconds(1), LONG);
        try (Socket silent = connect(listener);
                Socket used = connect(listener)) {
            send(used, REQUEST);
            readAnswer(used);
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
            assertThat(used.getInputStream().read()).isEqualTo(-1);
        } finally {
            listener.close();
        }
    }

    @Test
    void aConnectionWhoseHeadersDoNotEndIsClosed() throws IOException {
        Listener listener = listen(LONG, SHORT);
        try (Socket first = connect(listener);
                Socket second = connect(listener)) {
            send(first, "GET / HTTP/1.1\r\nHost");
            send(second, REQUEST + "GET / HTTP/1.1\r\nHo");
            assertThat(first.getInputStream().read()).isEqualTo(-1);
            readAnswer(second);
            assertThat(second.getInputStream().read()).isEqualTo(-1);
        } finally {
            listener.close();
        }
    }

    /** The times of the connection are those of one on which a request was admitted, from then on. */
    @Test
    void aConnectionThatWasNotAdmittedHasTheTimeOfTheHeaders() throws IOException {
        Listener listener = listen(LONG, Duration.ofSeconds(1));
        try (Socket silent = connect(listener);
                Socket refused = connect(listener);
                Socket known = connect(listener)) {
            send(refused, REQUEST);
            readAnswer(refused);
            admitted = true;
            send(known, REQUEST);
            readAnswer(known);
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
            assertThat(refused.getInputStream().read()).isEqualTo(-1);
            send(known, REQUEST);
            readAnswer(known);
        } finally {
            listener.close();
        }
    }
}
