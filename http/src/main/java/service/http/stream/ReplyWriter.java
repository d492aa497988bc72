package service.http.stream;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.xnio.XnioExecutor;
import org.xnio.channels.StreamSinkChannel;

/**
 * Sends a whole response body without blocking: at once if the socket takes it, else as it does. On
 * the I/O thread, outside Undertow's call.
 */
public final class ReplyWriter {
    private final HttpServerExchange exchange;
    private final ByteBuffer body;
    private final Pace pace;
    private final Consumer<@Nullable IOException> done;

    /** Set when the socket was full. */
    private boolean waiting;

    private XnioExecutor.@Nullable Key timer;
    private long lastByteNanos;
    private boolean finished;

    /**
     * Prepares to send the body.
     *
     * @param done called once, with null when all was handed to the socket, else with the reason;
     *     the exchange is not ended here
     */
    public ReplyWriter(
            HttpServerExchange exchange,
            ByteBuffer body,
            Pace pace,
            Consumer<@Nullable IOException> done) {
        this.exchange = exchange;
        this.body = body;
        this.pace = pace;
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

    private boolean push(StreamSinkChannel channel) throws IOException {
        while (body.hasRemaining()) {
            if (channel.write(body) == 0) {
                return false;
            }
            lastByteNanos = waiting ? System.nanoTime() : 0;
        }
        return true;
    }

    private void await(StreamSinkChannel channel) {
        lastByteNanos = System.nanoTime();
        arm(channel, pace.progressNanos());
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
        timer =
                exchange.getIoThread()
                        .executeAfter(
                                () -> tick(channel), Math.max(1, nanos), TimeUnit.NANOSECONDS);
    }

    private void tick(StreamSinkChannel channel) {
        if (finished) {
            return;
        }
        long remaining = lastByteNanos + pace.progressNanos() - System.nanoTime();
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
