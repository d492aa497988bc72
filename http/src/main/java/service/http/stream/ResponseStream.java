package service.http.stream;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.xnio.Options;
import org.xnio.channels.StreamSinkChannel;
import service.core.budget.RequestBudget;

/**
 * Writes a response body as fast as the client reads. It buffers at most {@link #BUFFER_BYTES}; the writing thread is
 * parked while the socket is full. {@link #flush} does nothing: bytes are sent when the buffer is full, and by
 * {@link #push} and {@link #finish}.
 *
 * <p>Throws {@link ClientGoneException} when the client reads nothing for too long. Thread rule: one thread.
 */
public final class ResponseStream extends OutputStream {
    public static final int BUFFER_BYTES = 32 << 10;

    /** The first buffer of a piece; most events of a feed are shorter. */
    private static final int FIRST_BUFFER_BYTES = 2 << 10;

    private final HttpServerExchange exchange;
    private final ClientDeadlines deadlines;
    private final RequestBudget budget;
    private final Runnable full;

    /** Null after {@link #push} until the next write, so that an idle stream holds no buffer. */
    private @Nullable ByteBuffer buffer;

    private @Nullable StreamSinkChannel channel;

    private volatile boolean aborted;

    /** The thread that waits for the client; null while none does. */
    private volatile @Nullable Thread waiting;

    private volatile @Nullable StreamEnd end;
    private @Nullable IOException failure;

    /**
     * Creates a stream; nothing is sent before its buffer is full.
     *
     * @param budget shares the processors before each piece is sent, and gives up its turn while the socket is full
     * @param full called each time the socket is full, before the wait for the client
     */
    public ResponseStream(HttpServerExchange exchange, ClientDeadlines deadlines, RequestBudget budget, Runnable full) {
        this.exchange = exchange;
        this.deadlines = deadlines;
        this.budget = budget;
        this.full = full;
    }

    @Override
    public void write(int value) throws IOException {
        ByteBuffer to = buffer(1);
        if (!to.hasRemaining()) {
            drain();
        }
        to.put((byte) value);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        if (length >= BUFFER_BYTES) {
            // Sent without the buffer, which would cost a copy.
            write(ByteBuffer.wrap(from, offset, length));
            return;
        }
        ByteBuffer to = buffer(length);
        int done = 0;
        while (done < length) {
            if (!to.hasRemaining()) {
                drain();
            }
            int count = Math.min(to.remaining(), length - done);
            to.put(from, offset + done, count);
            done += count;
        }
    }

    @Override
    public void flush() {}

    /**
     * Sends as many bytes as the socket accepts at once; does not wait. Call it when all earlier bytes are sent.
     *
     * @return whether all bytes are sent; if not, call {@link #write(ByteBuffer)} and {@link #push} on a thread that
     *     may wait
     */
    public boolean offer(ByteBuffer bytes) throws IOException {
        try {
            StreamSinkChannel to = channel();
            int count = bytes.remaining();
            while (count > 0 && bytes.hasRemaining()) {
                count = to.write(bytes);
            }
            return !bytes.hasRemaining() && to.flush();
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    /** Sends the buffered bytes and these; waits while the socket is full. */
    public void write(ByteBuffer bytes) throws IOException {
        drain();
        drain(bytes);
    }

    /** Sends the buffered bytes and frees the buffer. */
    public void push() throws IOException {
        drain();
        buffer = null;
        try {
            flush(channel());
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    private void flush(StreamSinkChannel to) throws IOException {
        long sinceNanos = System.nanoTime();
        while (!to.flush()) {
            await(to, sinceNanos);
        }
    }

    /** Does nothing. A producer that fails also closes its stream, and a partial body must not look complete. */
    @Override
    public void close() {}

    /**
     * Sends the buffered bytes, and ends the body on the I/O thread. Call it only when the body is complete.
     *
     * @param done called once on the I/O thread: with null when the socket has accepted all bytes, otherwise with the
     *     failure. The exchange has ended then
     */
    public void finish(Consumer<@Nullable IOException> done) throws IOException {
        drain();
        StreamEnd begun = new StreamEnd(exchange, channel(), isEndedByConnection(), deadlines.progressNanos(), done);
        end = begun;
        begun.start();
        if (aborted) {
            begun.abort();
        }
    }

    /**
     * Ends a write that waits for the client, and each later one, with {@link ClientGoneException}. Any thread: the
     * connection itself may be closed only by the thread that writes.
     */
    public void abort() {
        aborted = true;
        LockSupport.unpark(waiting);
        StreamEnd begun = end;
        if (begun != null) {
            begun.abort();
        }
    }

    /** The failure of the last write, or null. For callers that write through code that swallows exceptions. */
    public @Nullable IOException failure() {
        return failure;
    }

    /** A buffer with room for {@code count} bytes, or of {@link #BUFFER_BYTES}. */
    private ByteBuffer buffer(int count) {
        ByteBuffer present = buffer;
        int held = present == null ? 0 : present.position();
        if (present == null || (present.remaining() < count && present.capacity() < BUFFER_BYTES)) {
            ByteBuffer larger =
                    ByteBuffer.allocate(held + count <= FIRST_BUFFER_BYTES ? FIRST_BUFFER_BYTES : BUFFER_BYTES);
            if (present != null) {
                larger.put(present.flip());
            }
            present = larger;
            buffer = present;
        }
        return present;
    }

    private void drain() throws IOException {
        ByteBuffer present = buffer;
        if (present != null) {
            present.flip();
            drain(present);
            present.clear();
        }
    }

    private void drain(ByteBuffer bytes) throws IOException {
        try {
            send(bytes);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    private void send(ByteBuffer bytes) throws IOException {
        budget.checkpoint(() -> {});
        StreamSinkChannel to = channel();
        long sinceNanos = System.nanoTime();
        while (bytes.hasRemaining()) {
            int count = to.write(bytes);
            if (count == 0) {
                await(to, sinceNanos);
            } else {
                sinceNanos = System.nanoTime();
            }
        }
    }

    /** Whether only the end of the connection ends the body: for HTTP/1.0, which nginx speaks by default. */
    private boolean isEndedByConnection() {
        return !exchange.isHttp11() && exchange.getResponseContentLength() < 0;
    }

    /**
     * The channel of the response. Where only the end of the connection ends the body, a cut body would look whole.
     * Such a connection is reset when it is closed, by this process or by the system after {@code kill -9}, until
     * {@link StreamEnd} has sent everything.
     */
    private StreamSinkChannel channel() throws IOException {
        StreamSinkChannel to = channel;
        if (to == null) {
            to = exchange.getResponseChannel();
            if (to == null) {
                throw new ClientGoneException("the connection is closed");
            }
            if (isEndedByConnection()) {
                exchange.getConnection().setOption(Options.CLOSE_ABORT, true);
            }
            channel = to;
        }
        return to;
    }

    private void await(StreamSinkChannel to, long sinceNanos) throws IOException {
        full.run();
        boolean writable = budget.blocking(() -> isWritableInTime(to, sinceNanos));
        if (!writable) {
            throw new ClientGoneException(aborted ? "the stream was ended" : "the client read nothing for too long");
        }
    }

    private boolean isWritableInTime(StreamSinkChannel to, long sinceNanos) {
        waiting = Thread.currentThread();
        boolean writable = PacedChannel.writing(exchange, to)
                .await(
                        deadlines.waits(),
                        () -> aborted ? 0 : sinceNanos + deadlines.progressNanos() - System.nanoTime());
        waiting = null;
        return writable;
    }
}
