package service.http.server;

import io.undertow.server.HttpServerExchange;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.xnio.IoUtils;

/**
 * Drains the rest of a refused request's body before the connection closes.
 *
 * <p>When an exchange that is not persistent ends, Undertow shuts down the input of the socket at once; the client then
 * fails on its next write and does not read the answer. Therefore the exchange is made persistent again while it
 * drains, after its headers have said {@code Connection: close}.
 */
final class Lingering {
    private Lingering() {}

    /**
     * Prepares the end of the exchange. Call it on the I/O thread.
     *
     * @param nanosMax the time in which the rest of the body must arrive
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
