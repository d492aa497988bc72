package service.http.stream;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.xnio.Options;
import org.xnio.channels.StreamSinkChannel;

/**
 * Ends a streamed body on the I/O thread of its connection, without blocking it. The exchange ends with the last byte
 * of its body. When that happens on another thread, Undertow parses a pipelined request there, and the I/O thread may
 * close the connection and return its buffers meanwhile. Thread rule: {@link #start} any thread, once; the rest runs on
 * the I/O thread.
 */
final class StreamEnd {
    private final HttpServerExchange exchange;
    private final StreamSinkChannel channel;
    private final long progressNanos;
    private final Consumer<@Nullable IOException> done;
    private @Nullable PacedChannel waiting;

    /** Whether closing the connection resets it. */
    private boolean resets;

    private boolean shut;
    private boolean finished;

    /**
     * @param channel has taken every byte of the body
     * @param resets whether the connection is reset when it is closed, which ends here
     * @param progressNanos time in which the client must take what the channel has kept
     * @param done called once: with null when the socket has accepted all bytes, otherwise with the failure
     */
    StreamEnd(
            HttpServerExchange exchange,
            StreamSinkChannel channel,
            boolean resets,
            long progressNanos,
            Consumer<@Nullable IOException> done) {
        this.exchange = exchange;
        this.channel = channel;
        this.resets = resets;
        this.progressNanos = progressNanos;
        this.done = done;
    }

    void start() {
        try {
            exchange.getIoThread().execute(this::end);
        } catch (RejectedExecutionException stopping) {
            done.accept(new ClientGoneException("the server has closed the connection"));
        }
    }

    private void end() {
        try {
            if (resets) {
                if (!channel.flush()) {
                    await();
                    return;
                }
                exchange.getConnection().setOption(Options.CLOSE_ABORT, false);
                resets = false;
            }
            if (!shut) {
                shut = true;
                channel.shutdownWrites();
            }
            if (channel.flush()) {
                finish(null);
            } else {
                await();
            }
        } catch (IOException e) {
            finish(e);
        }
    }

    /** Goes on when the socket takes bytes again. */
    private void await() {
        if (waiting == null) {
            long sinceNanos = System.nanoTime();
            waiting = PacedChannel.writing(exchange, channel);
            waiting.watch(
                    this::end,
                    () -> sinceNanos + progressNanos - System.nanoTime(),
                    () -> finish(new ClientGoneException("the client read nothing for too long")));
        }
    }

    /** Stops to wait for the client. Any thread. */
    void abort() {
        try {
            exchange.getIoThread().execute(() -> finish(new ClientGoneException("the stream was ended")));
        } catch (RejectedExecutionException stopping) {
            // The server closes every connection.
        }
    }

    private void finish(@Nullable IOException failure) {
        if (finished) {
            return;
        }
        finished = true;
        if (waiting != null) {
            waiting.end();
        }
        done.accept(failure);
    }
}
