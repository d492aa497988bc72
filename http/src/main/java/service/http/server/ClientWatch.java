package service.http.server;

import io.undertow.connector.PooledByteBuffer;
import io.undertow.server.AbstractServerConnection;
import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.xnio.IoUtils;

/**
 * Detects that the client of a running request has closed the connection, so that the work can end. A closed connection
 * is noticed only by reading, and Undertow does not read between a request and its answer. The worker thread therefore
 * polls the socket every 5 ms, so that work ends within 10 ms after its client has left.
 *
 * <p>Nothing is polled until the body of the request has been read: the bytes there are its own. After that, Undertow
 * reads again only after the exchange. Early bytes of the next request are put back; polling stops when they fill a
 * buffer. A poll costs one system call; the first one comes after one interval, when almost every request has ended.
 * Thread rule: only the thread that works on the exchange.
 */
final class ClientWatch implements BooleanSupplier {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final HttpServerExchange exchange;
    private final AbstractServerConnection connection;
    private long polledNanos;

    /** @param startNanos when the request began */
    ClientWatch(HttpServerExchange exchange, long startNanos) {
        this.exchange = exchange;
        this.connection = (AbstractServerConnection) exchange.getConnection();
        this.polledNanos = startNanos;
    }

    /** Whether the client has closed the connection. */
    @Override
    public boolean getAsBoolean() {
        long now = System.nanoTime();
        if (now - polledNanos >= INTERVAL_NANOS) {
            polledNanos = now;
            poll();
        }
        return !connection.isOpen();
    }

    /** The same, and checks now. */
    boolean isLeftNow() {
        poll();
        return !connection.isOpen();
    }

    private void poll() {
        if (!exchange.isRequestComplete() || !connection.isOpen()) {
            return;
        }
        PooledByteBuffer kept = connection.getExtraBytes();
        PooledByteBuffer early = kept == null ? connection.getByteBufferPool().allocate() : kept;
        boolean left = isAtEnd(early.getBuffer(), kept != null);
        if (kept == null) {
            if (early.getBuffer().hasRemaining()) {
                connection.setExtraBytes(early);
            } else {
                early.close();
            }
        }
        if (left) {
            IoUtils.safeClose(connection);
        }
    }

    /** Reads what has arrived after the bytes in the buffer, and whether the client has closed the connection. */
    private boolean isAtEnd(ByteBuffer early, boolean hasBytes) {
        if (hasBytes) {
            early.compact();
        }
        try {
            return early.hasRemaining() && connection.getOriginalSourceConduit().read(early) < 0;
        } catch (IOException e) {
            return true;
        } finally {
            early.flip();
        }
    }
}
