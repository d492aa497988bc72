package service.http.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.server.ServerConnection;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.xnio.IoUtils;
import org.xnio.XnioExecutor;
import service.http.stream.IoTimer;

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
        try {
            ServerConnection connection = exchange.getConnection();
            XnioExecutor.Key deadline = IoTimer.after(
                    exchange.getIoThread(), () -> IoUtils.safeClose(connection), nanosMax, TimeUnit.NANOSECONDS);
            exchange.addExchangeCompleteListener((ended, next) -> {
                // Otherwise the memory of each refused request would be held until the deadline.
                deadline.remove();
                IoUtils.safeClose(connection);
                next.proceed();
            });
        } catch (RejectedExecutionException stopping) {
            // The server is about to close every connection.
            exchange.setPersistent(false);
        }
    }
}
