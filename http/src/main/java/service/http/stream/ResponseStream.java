package service.http.stream;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.xnio.channels.StreamSinkChannel;

/**
 * A response body at the speed of its reader: at most {@link #BUFFER_BYTES} wait here, and the writing thread is parked
 * while the socket takes no more. {@link #flush} is cheap and sends nothing: only a full buffer or {@link #finish}
 * does.
 *
 * <p>Throws {@link ClientGoneException} when the reader takes nothing for too long. One thread.
 */
public final class ResponseStream extends OutputStream {
    public static final int BUFFER_BYTES = 32 << 10;

    private final HttpServerExchange exchange;
    private final ClientDeadlines deadlines;
    /** Null while nothing was written since {@link #push}: an idle stream keeps no buffer. */
    private @Nullable ByteBuffer buffer;

    private @Nullable StreamSinkChannel channel;
    private volatile boolean ready;
    private long written;
    private @Nullable IOException failure;

    public ResponseStream(HttpServerExchange exchange, ClientDeadlines deadlines) {
        this.exchange = exchange;
        this.deadlines = deadlines;
    }

    /** Bytes given to the socket. */
    public long written() {
        return written;
    }

    @Override
    public void write(int value) throws IOException {
        ByteBuffer to = buffer();
        if (!to.hasRemaining()) {
            drain();
        }
        to.put((byte) value);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        if (length >= BUFFER_BYTES) {
            // As it is: to gather it here first would only copy it.
            drain();
            drain(ByteBuffer.wrap(from, offset, length));
            return;
        }
        ByteBuffer to = buffer();
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

    /** Sends what is buffered, now, and lets go of the buffer. */
    public void push() throws IOException {
        drain();
        buffer = null;
        try {
            StreamSinkChannel to = channel();
            long sinceNanos = System.nanoTime();
            while (!to.flush()) {
                await(to, sinceNanos);
            }
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    /** Does nothing: a producer that fails closes its stream all the same, and the body must not look whole then. */
    @Override
    public void close() {}

    /** Sends what is left and ends the body: to be called only when it is whole. */
    public void finish() throws IOException {
        drain();
        StreamSinkChannel to = channel();
        to.shutdownWrites();
        long sinceNanos = System.nanoTime();
        while (!to.flush()) {
            await(to, sinceNanos);
        }
    }

    /** Why the reader is gone, or null; whoever writes through other code may have lost the exception. */
    public @Nullable IOException failure() {
        return failure;
    }

    private ByteBuffer buffer() {
        ByteBuffer present = buffer;
        if (present == null) {
            present = ByteBuffer.allocate(BUFFER_BYTES);
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
        StreamSinkChannel to = channel();
        long sinceNanos = System.nanoTime();
        while (bytes.hasRemaining()) {
            int count = to.write(bytes);
            if (count == 0) {
                await(to, sinceNanos);
            } else {
                written += count;
                sinceNanos = System.nanoTime();
            }
        }
    }

    private StreamSinkChannel channel() throws IOException {
        StreamSinkChannel to = channel;
        if (to == null) {
            to = exchange.getResponseChannel();
            if (to == null) {
                throw new ClientGoneException("the connection is closed");
            }
            channel = to;
        }
        return to;
    }

    private void await(StreamSinkChannel to, long sinceNanos) throws IOException {
        Thread writer = Thread.currentThread();
        ready = false;
        to.getWriteSetter().set(writable -> {
            writable.suspendWrites();
            ready = true;
            LockSupport.unpark(writer);
        });
        to.resumeWrites();
        while (!ready) {
            long remaining = sinceNanos + deadlines.progressNanos() - System.nanoTime();
            if (remaining <= 0) {
                to.suspendWrites();
                throw new ClientGoneException("the reader took nothing for too long");
            }
            LockSupport.parkNanos(this, remaining);
        }
    }
}
