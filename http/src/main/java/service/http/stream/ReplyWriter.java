package service.http.stream;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.xnio.channels.StreamSinkChannel;

/**
 * Sends a whole response body without blocking. What the socket does not accept at once is sent when it becomes
 * writable. Runs on the I/O thread, after Undertow's own call has returned.
 */
public final class ReplyWriter {
    /** Maximum number of bytes sent in one go, so that other connections of this thread get their turn. */
    private static final int TURN_BYTES = 1 << 20;

    /** Maximum number of pieces of one system call. The JVM copies them off the heap. */
    private static final int PIECES_MAX = 16;

    /**
     * Bytes that are sent along with the headers. The connection keeps them until its next response
     * ({@code HttpResponseConduit}), so they are few, and a copy.
     */
    private static final int FIRST_BYTES = 4 << 10;

    private static final int PIECE_BYTES = 64 << 10;

    private final HttpServerExchange exchange;
    private final ByteBuffer[] body;
    private final ClientDeadlines deadlines;
    private final Runnable full;
    private final Consumer<@Nullable IOException> done;

    /** Index of the first piece that is not sent completely. */
    private int next;

    /** The wait for the client; null until the socket is full for the first time. */
    private @Nullable PacedChannel waiting;

    private long lastByteNanos;

    /**
     * Creates a writer; {@link #start} begins to send.
     *
     * @param body the pieces of the body; the caller must not change them until {@code done} is called
     * @param full called once when the socket is full for the first time, so that the rest waits for the client
     * @param done called once: with null when the socket has accepted all bytes, otherwise with the failure. The caller
     *     ends the exchange
     */
    public ReplyWriter(
            HttpServerExchange exchange,
            List<ByteBuffer> body,
            ClientDeadlines deadlines,
            Runnable full,
            Consumer<@Nullable IOException> done) {
        this.exchange = exchange;
        this.body = cut(body);
        this.deadlines = deadlines;
        this.full = full;
        this.done = done;
    }

    /** A short first piece, and others that the JVM copies off the heap one at a time. */
    private static ByteBuffer[] cut(List<ByteBuffer> body) {
        List<ByteBuffer> pieces = new ArrayList<>(body.size() + 1);
        for (ByteBuffer whole : body) {
            if (pieces.isEmpty() && whole.remaining() > FIRST_BYTES) {
                byte[] first = new byte[FIRST_BYTES];
                whole.get(first);
                pieces.add(ByteBuffer.wrap(first));
            }
            for (int at = whole.position(); at < whole.limit(); at += PIECE_BYTES) {
                pieces.add(whole.slice(at, Math.min(PIECE_BYTES, whole.limit() - at)));
            }
        }
        return pieces.toArray(ByteBuffer[]::new);
    }

    public void start() {
        StreamSinkChannel channel = exchange.getResponseChannel();
        if (channel == null) {
            done.accept(new ClientGoneException("the connection is closed"));
            return;
        }
        try {
            if (push(channel)) {
                finish(null);
                return;
            }
        } catch (IOException e) {
            finish(e);
            return;
        }
        full.run();
        await(channel);
    }

    /** Sends until the socket is full or the turn is over. Returns whether all bytes were sent. */
    private boolean push(StreamSinkChannel channel) throws IOException {
        for (long pushed = 0; next < body.length; ) {
            if (!body[next].hasRemaining()) {
                next++;
                continue;
            }
            long count = pushed < TURN_BYTES ? write(channel) : 0;
            if (count == 0) {
                return false;
            }
            pushed += count;
            lastByteNanos = waiting == null ? 0 : System.nanoTime();
        }
        return true;
    }

    /** Several pieces go into one system call, so that the client is woken less often; the first goes alone. */
    private long write(StreamSinkChannel channel) throws IOException {
        int pieces = next == 0 ? 1 : Math.min(PIECES_MAX, body.length - next);
        return pieces == 1 ? channel.write(body[next]) : channel.write(body, next, pieces);
    }

    private void await(StreamSinkChannel channel) {
        lastByteNanos = System.nanoTime();
        waiting = PacedChannel.writing(exchange, channel);
        waiting.watch(
                () -> writable(channel),
                () -> lastByteNanos + deadlines.progressNanos() - System.nanoTime(),
                () -> finish(new ClientGoneException("the client read nothing for too long")));
    }

    private void writable(StreamSinkChannel channel) {
        try {
            if (push(channel)) {
                finish(null);
            }
        } catch (IOException e) {
            finish(e);
        }
    }

    private void finish(@Nullable IOException cause) {
        if (waiting != null) {
            waiting.end();
        }
        done.accept(cause);
    }
}
