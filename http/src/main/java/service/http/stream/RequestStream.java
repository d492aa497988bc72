package service.http.stream;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.xnio.channels.StreamSourceChannel;
import service.core.io.PieceInputStream;

/**
 * Reads a request body as it arrives. Reading parks the calling thread (XNIO's blocking channels would open a selector
 * for each thread). Every byte is counted.
 *
 * <p>{@link #read} throws a {@code ServiceException} with RESOURCE_LIMIT above the limit, and
 * {@link ClientGoneException} when the sender is too slow or gone. Thread rule: one thread.
 */
public final class RequestStream extends PieceInputStream {
    private final HttpServerExchange exchange;
    private final long bytesMax;
    private final ClientDeadlines deadlines;
    private final LongConsumer arrived;
    private final long startNanos = System.nanoTime();
    private final byte[] buffer = new byte[32 << 10];
    private @Nullable StreamSourceChannel channel;
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
    protected void next() throws IOException {
        if (ended) {
            return;
        }
        try {
            receive();
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    private void receive() throws IOException {
        StreamSourceChannel from = channel;
        if (from == null) {
            from = exchange.getRequestChannel();
            channel = from;
        }
        if (from == null) {
            ended = true;
            return;
        }
        long lastByteNanos = System.nanoTime();
        while (true) {
            int count = from.read(ByteBuffer.wrap(buffer));
            if (count < 0) {
                ended = true;
                return;
            }
            if (count > 0) {
                received += count;
                if (received > bytesMax) {
                    throw BodyReader.tooLarge(bytesMax, null);
                }
                arrived.accept(received);
                give(buffer, count);
                return;
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
