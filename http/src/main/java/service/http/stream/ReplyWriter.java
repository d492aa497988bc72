package service.http.stream;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.xnio.XnioExecutor;
import org.xnio.channels.StreamSinkChannel;

/**
 * Sends a whole response body without blocking: at once if the socket takes it, else as it does. On the I/O thread,
 * outside Undertow's call.
 */
public final class ReplyWriter {
    /** How much is sent before other connections of this thread have their turn. */
    private static final int TURN_BYTES = 1 << 20;

    private final HttpServerExchange exchange;
    private final List<ByteBuffer> body;
    private final ClientDeadlines deadlines;
    private final Consumer<@Nullable IOException> done;

    /** The first piece that is not wholly sent. */
    private int next;

    /** Set when the socket was full. */
    private boolean waiting;

    private XnioExecutor.@Nullable Key timer;
    private long lastByteNanos;
    private boolean finished;

    /**
     * Prepares to send the body.
     *
     * @param body in pieces, which nobody else may touch until it is done
     * @param done called once, with null when all was handed to the socket, else with the reason; the exchange is not
     *     ended here
     */
    public ReplyWriter(
            HttpServerExchange exchange,
            List<ByteBuffer> body,
            ClientDeadlines deadlines,
            Consumer<@Nullable IOException> done) {
        this.exchange = exchange;
        this.body = body;
        this.deadlines = deadlines;
        this.done = done;
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
        waiting = true;
        await(channel);
    }

    /** Whether all was taken. Others may have waited for this thread long enough before that. */
    private boolean push(StreamSinkChannel channel) throws IOException {
        for (int pushed = 0; next < body.size(); ) {
            ByteBuffer piece = body.get(next);
            if (!piece.hasRemaining()) {
                next++;
                continue;
            }
            int count = pushed < TURN_BYTES ? channel.write(piece) : 0;
            if (count == 0) {
                return false;
            }
            pushed += count;
            lastByteNanos = waiting ? System.nanoTime() : 0;
        }
        return true;
    }

    private void await(StreamSinkChannel channel) {
        lastByteNanos = System.nanoTime();
        arm(channel, deadlines.progressNanos());
        channel.getWriteSetter().set(this::writable);
        channel.resumeWrites();
    }

    private void writable(StreamSinkChannel channel) {
        if (finished) {
            return;
        }
        try {
            if (push(channel)) {
                channel.suspendWrites();
                finish(null);
            }
        } catch (IOException e) {
            finish(e);
        }
    }

    private void arm(StreamSinkChannel channel, long nanos) {
        timer = exchange.getIoThread().executeAfter(() -> tick(channel), Math.max(1, nanos), TimeUnit.NANOSECONDS);
    }

    private void tick(StreamSinkChannel channel) {
        if (finished) {
            return;
        }
        long remaining = lastByteNanos + deadlines.progressNanos() - System.nanoTime();
        if (remaining > 0) {
            arm(channel, remaining);
        } else {
            channel.suspendWrites();
            finish(new ClientGoneException("the reader took nothing for too long"));
        }
    }

    private void finish(@Nullable IOException cause) {
        finished = true;
        if (timer != null) {
            timer.remove();
        }
        done.accept(cause);
    }
}
