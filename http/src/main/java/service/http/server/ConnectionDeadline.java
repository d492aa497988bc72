package service.http.server;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.xnio.ChannelListener;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;
import org.xnio.XnioExecutor;
import service.http.stream.IoTimer;

/**
 * Closes a connection on which no request begins in time, or on which the headers of a request do not arrive in time.
 *
 * <p>Undertow has the same two limits, but its timers keep each closed connection, with the buffers of its last
 * response, until the time is over. The timer of this class is removed when the connection closes.
 *
 * <p>Thread rule: any thread.
 */
final class ConnectionDeadline implements Runnable {
    /**
     * Times for the connections of a listener.
     *
     * @param idle from the end of an exchange to the first byte of the next request, on a connection on which a request
     *     was admitted
     * @param headers from the first byte of a request to the end of its headers; also the time of all others to send
     *     one, if that is not less
     */
    record Times(Duration idle, Duration headers) {
        Duration stranger() {
            return idle.compareTo(headers) < 0 ? idle : headers;
        }
    }

    /** What a connection waits for. */
    private enum Phase {
        REQUEST,
        HEADERS,
        END_OF_EXCHANGE,
        CLOSE
    }

    private final StreamConnection connection;
    private final Times times;
    private final Connections.Seat seat;
    private Phase phase = Phase.REQUEST;

    /** A value of {@link System#nanoTime}; not used during an exchange. */
    private long deadline;

    private XnioExecutor.@Nullable Key timer;

    private ConnectionDeadline(StreamConnection connection, Times times, Connections.Seat seat) {
        this.connection = connection;
        this.times = times;
        this.seat = seat;
    }

    /**
     * Starts to wait for the first request.
     *
     * @param seat the place of the connection, given back when it closes
     */
    static ConnectionDeadline start(StreamConnection connection, Times times, Connections.Seat seat) {
        ConnectionDeadline started = new ConnectionDeadline(connection, times, seat);
        started.awaitRequest();
        synchronized (started) {
            started.schedule();
        }
        return started;
    }

    /** Ends with the connection. Call it after the last other listener for the end of the connection was set. */
    void endWithConnection() {
        ChannelListener<? super StreamConnection> next = connection.getCloseListener();
        connection.setCloseListener(closed -> {
            end();
            if (next != null) {
                next.handleEvent(closed);
            }
        });
        if (!connection.isOpen()) {
            end();
        }
    }

    /** An exchange has ended, and no byte of another request was read. */
    synchronized void awaitRequest() {
        enter(Phase.REQUEST, seat.isKnown() ? times.idle : times.stranger());
    }

    /** Bytes of a request were read; only the first call for a request has an effect. */
    synchronized void awaitHeaders() {
        if (phase == Phase.REQUEST) {
            enter(Phase.HEADERS, times.headers);
        }
    }

    /** The headers of a request are complete. Its exchange has other limits. */
    synchronized void beginExchange() {
        if (phase != Phase.CLOSE) {
            phase = Phase.END_OF_EXCHANGE;
        }
    }

    /** Closes the connection after some time, whatever arrives until then. */
    synchronized void closeAfter(Duration time) {
        enter(Phase.CLOSE, time);
        cancel();
        schedule();
    }

    private void enter(Phase next, Duration time) {
        if (phase != Phase.CLOSE) {
            phase = next;
            deadline = System.nanoTime() + time.toNanos();
        }
    }

    @Override
    public void run() {
        synchronized (this) {
            timer = null;
            if (phase == Phase.END_OF_EXCHANGE || deadline - System.nanoTime() > 0) {
                schedule();
                return;
            }
        }
        IoUtils.safeClose(connection);
    }

    /** The timer runs at least once in the time of the headers, so that a phase need not move it when it begins. */
    private void schedule() {
        long nanos = times.headers.toNanos();
        if (phase != Phase.END_OF_EXCHANGE) {
            nanos = Math.clamp(deadline - System.nanoTime(), 0, nanos);
        }
        try {
            timer = IoTimer.after(connection.getIoThread(), this, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException stopping) {
            // The server is about to close every connection.
        }
    }

    private void end() {
        synchronized (this) {
            phase = Phase.CLOSE;
            cancel();
        }
        seat.close();
    }

    private void cancel() {
        XnioExecutor.Key scheduled = timer;
        if (scheduled != null) {
            scheduled.remove();
            timer = null;
        }
    }
}
