package service.http.stream;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.xnio.channels.StreamSourceChannel;

/**
 * Reads a request body as it arrives. Reading parks the calling thread (XNIO's blocking channels would open a selector
 * for each thread). Every byte is counted.
 *
 * <p>{@link #read} throws a {@code ServiceException} with RESOURCE_LIMIT above the limit, and
 * {@link ClientGoneException} when the sender is too slow or gone. Thread rule: one thread.
 */
public final class RequestStream extends InputStream {
    private final HttpServerExchange exchange;
    private final long bytesMax;
    private final ClientDeadlines deadlines;
    private final LongConsumer arrived;
    private final long startNanos = System.nanoTime();
    private final byte[] buffer = new byte[32 << 10];
    private @Nullable StreamSourceChannel channel;
    private int position;
    private int limit;
    private long received;
    private boolean ended;
    private @Nullable IOException failure;

    /**
     * A stream over a body of which nothing has been read.
     *
     * @param arrived called with the number of bytes received so far; may throw a {@code ServiceException}
     */
    public RequestStream(HttpServerExchange exchange, long bytesMax, ClientDeadlines deadlines, LongConsumer arrived) {
        this.exchange = exchange;
        this.bytesMax = bytesMax;
        this.deadlines = deadlines;
        this.arrived = arrived;
    }

    /** The failure of the last read, or null. For callers that read through code that swallows exceptions. */
    public @Nullable IOException failure() {
        return failure;
    }

    @Override
    public int read() throws IOException {
        return fill() ? buffer[position++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int count = Math.min(length, limit - position);
        System.arraycopy(buffer, position, into, offset, count);
        position += count;
        return count;
    }

    private boolean fill() throws IOException {
        if (position < limit) {
            return true;
        }
        if (ended) {
            return false;
        }
        try {
            return receive();
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    private boolean receive() throws IOException {
        StreamSourceChannel from = channel;
        if (from == null) {
            from = exchange.getRequestChannel();
            channel = from;
        }
        if (from == null) {
            ended = true;
            return false;
        }
        long lastByteNanos = System.nanoTime();
        while (true) {
            int count = from.read(ByteBuffer.wrap(buffer));
            if (count < 0) {
                ended = true;
                return false;
            }
            if (count > 0) {
                received += count;
                if (received > bytesMax) {
                    throw BodyReader.tooLarge(bytesMax, null);
                }
                arrived.accept(received);
                position = 0;
                limit = count;
                return true;
            }
            await(from, lastByteNanos);
        }
    }

    private void await(StreamSourceChannel from, long lastByteNanos) throws IOException {
        boolean readable = PacedChannel.reading(exchange, from)
                .await(
                        deadlines.waits(),
                        () -> deadlines.bodyRemaining(System.nanoTime(), startNanos, lastByteNanos, received));
        if (!readable) {
            throw new ClientGoneException("the request body did not arrive in time");
        }
    }
}
