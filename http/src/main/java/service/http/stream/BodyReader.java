package service.http.stream;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.xnio.channels.StreamSourceChannel;
import service.core.budget.MemoryAccount;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;

/**
 * Reads a whole request body into memory on the I/O thread without blocking it. A slow sender holds the memory of the
 * bytes it has sent, and no thread.
 *
 * <p>Undertow does not limit the size of chunked bodies, so this class counts every byte.
 */
public final class BodyReader {
    /** Receives the result. Exactly one method is called, once, on the I/O thread. */
    public interface Done {
        /** The body arrived: {@code bytes[0 .. length)}. The array is charged to the memory of the request. */
        void complete(byte[] bytes, int length);

        /**
         * The body is missing.
         *
         * @param cause a {@link ServiceException} when it is too large; {@link ClientGoneException} when the client is
         *     gone or too slow
         */
        void failed(Exception cause);
    }

    private static final int FIRST_BYTES = 1 << 10;
    private static final int FIRST_BYTES_MAX = 64 << 10;

    private final HttpServerExchange exchange;
    private final int bytesMax;
    private final ClientDeadlines deadlines;
    private final MemoryAccount memory;
    private final Done done;
    private final long startNanos = System.nanoTime();

    private byte[] bytes = new byte[0];
    private int length;
    private long lastByteNanos = startNanos;
    private boolean finished;
    private @Nullable PacedChannel waiting;

    public BodyReader(
            HttpServerExchange exchange, int bytesMax, ClientDeadlines deadlines, MemoryAccount memory, Done done) {
        this.exchange = exchange;
        this.bytesMax = bytesMax;
        this.deadlines = deadlines;
        this.memory = memory;
        this.done = done;
    }

    /** Starts to read. Call it on the I/O thread, after Undertow's own call has returned. */
    public void start() {
        long announced = exchange.getRequestContentLength();
        if (announced > bytesMax) {
            fail(tooLarge(bytesMax, announced));
            return;
        }
        int first = Math.clamp(announced + 1, FIRST_BYTES, FIRST_BYTES_MAX);
        if (!grow(Math.min(first, bytesMax + 1))) {
            return;
        }
        StreamSourceChannel channel = exchange.getRequestChannel();
        if (channel == null) {
            complete();
            return;
        }
        read(channel);
    }

    /** The refusal of a body above the limit, with status 413. */
    public static ServiceException tooLarge(long limit, @Nullable Long actual) {
        return new ServiceException(
                ErrorCode.RESOURCE_LIMIT,
                "the body is larger than " + limit + " bytes; send less at a time",
                new ErrorDetail.ResourceLimit("request_body_bytes", limit, actual));
    }

    private void read(StreamSourceChannel channel) {
        try {
            while (!finished) {
                if (length == bytes.length && !grow(Math.min(2L * length, bytesMax + 1L))) {
                    return;
                }
                int count = channel.read(ByteBuffer.wrap(bytes, length, bytes.length - length));
                if (count < 0) {
                    complete();
                } else if (count == 0) {
                    await(channel);
                    return;
                } else {
                    length += count;
                    lastByteNanos = System.nanoTime();
                    if (length > bytesMax) {
                        fail(tooLarge(bytesMax, null));
                    }
                }
            }
        } catch (IOException e) {
            fail(new ClientGoneException(String.valueOf(e.getMessage())));
        }
    }

    private void await(StreamSourceChannel channel) {
        if (waiting == null) {
            waiting = PacedChannel.reading(exchange, channel);
            waiting.watch(
                    () -> read(channel),
                    () -> deadlines.bodyRemaining(System.nanoTime(), startNanos, lastByteNanos, length),
                    () -> fail(new ClientGoneException("the request body did not arrive in time")));
        }
    }

    /**
     * Grows the buffer to a capacity in bytes; both buffers are charged while one is copied. The largest capacity is
     * one byte above the limit, so that a body above the limit differs from a body at the limit.
     */
    private boolean grow(long capacity) {
        try {
            memory.charge(capacity, "the request body", "send less at a time");
        } catch (ServiceException e) {
            fail(e);
            return false;
        }
        int before = bytes.length;
        bytes = Arrays.copyOf(bytes, (int) capacity);
        memory.release(before);
        return true;
    }

    private void complete() {
        byte[] body = bytes;
        finish();
        done.complete(body, length);
    }

    private void fail(Exception cause) {
        finish();
        done.failed(cause);
    }

    /** The connection may refer to this object until its next request, so the bytes are let go. */
    private void finish() {
        finished = true;
        bytes = new byte[0];
        if (waiting != null) {
            waiting.end();
        }
    }
}
