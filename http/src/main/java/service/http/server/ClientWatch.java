package service.http.server;

import io.undertow.connector.PooledByteBuffer;
import io.undertow.server.AbstractServerConnection;
import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.xnio.IoUtils;

/**
 * Whether the client of a running request has hung up, so that its work can end. A socket tells its end only to who
 * reads it, and nobody reads between a request and its answer: so the thread that does the work looks from time to
 * time.
 *
 * <p>Looking is safe while the exchange runs, because its body has been read to the end and reading begins again only
 * after it. Bytes of a next request that came early are put back, and end the watch. A look costs one system call;
 * nobody looks within the first interval, where almost every request ends. Only for the thread that works on the
 * exchange.
 */
final class ClientWatch implements BooleanSupplier {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final AbstractServerConnection connection;
    private long lookedNanos = System.nanoTime();

    ClientWatch(HttpServerExchange exchange) {
        this.connection = (AbstractServerConnection) exchange.getConnection();
    }

    /** Whether the client is gone. */
    @Override
    public boolean getAsBoolean() {
        long now = System.nanoTime();
        if (now - lookedNanos >= INTERVAL_NANOS) {
            lookedNanos = now;
            look();
        }
        return !connection.isOpen();
    }

    private void look() {
        if (!connection.isOpen() || connection.getExtraBytes() != null) {
            return;
        }
        PooledByteBuffer early = connection.getByteBufferPool().allocate();
        boolean kept = false;
        try {
            int count = connection.getOriginalSourceConduit().read(early.getBuffer());
            if (count < 0) {
                IoUtils.safeClose(connection);
            } else if (count > 0) {
                early.getBuffer().flip();
                connection.setExtraBytes(early);
                kept = true;
            }
        } catch (IOException e) {
            IoUtils.safeClose(connection);
        } finally {
            if (!kept) {
                early.close();
            }
        }
    }
}
