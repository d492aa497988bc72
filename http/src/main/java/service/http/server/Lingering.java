package service.http.server;

import io.undertow.server.HttpServerExchange;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.xnio.IoUtils;

/**
 * Lets the rest of a refused request's body arrive, unread, before the connection closes.
 *
 * <p>Ending an exchange that is not persistent makes Undertow shut the socket's input at once; a sender then fails on
 * its next write and never sees the answer. So the exchange, whose headers said {@code Connection: close} already,
 * counts as persistent again while it drains.
 */
final class Lingering {
    private Lingering() {}

    /**
     * Prepares the exchange to be ended; on its I/O thread.
     *
     * @param nanosMax how long the body may take in all
     */
    static void start(HttpServerExchange exchange, long nanosMax) {
        exchange.setPersistent(true);
        exchange.addExchangeCompleteListener((ended, next) -> {
            IoUtils.safeClose(ended.getConnection());
            next.proceed();
        });
        try {
            exchange.getIoThread()
                    .executeAfter(() -> IoUtils.safeClose(exchange.getConnection()), nanosMax, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException stopping) {
            // The server is about to close every connection.
            exchange.setPersistent(false);
        }
    }
}
