package service.http.stream;

import io.undertow.server.HttpServerExchange;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.xnio.XnioExecutor;
import org.xnio.XnioIoThread;
import org.xnio.channels.StreamSinkChannel;
import org.xnio.channels.StreamSourceChannel;

/**
 * One wait for a client that has to send or to read within a time. The wait holds a timer ({@link #watch}, on the I/O
 * thread) or the calling thread ({@link #await}).
 */
final class PacedChannel {
    private final XnioIoThread thread;
    private final Consumer<Runnable> listen;
    private final Runnable resume;
    private final Runnable suspend;
    private XnioExecutor.@Nullable Key timer;
    private boolean ended;
    private volatile boolean ready;

    private PacedChannel(XnioIoThread thread, Consumer<Runnable> listen, Runnable resume, Runnable suspend) {
        this.thread = thread;
        this.listen = listen;
        this.resume = resume;
        this.suspend = suspend;
    }

    /** A wait for bytes of a request. */
    static PacedChannel reading(HttpServerExchange exchange, StreamSourceChannel channel) {
        return new PacedChannel(
                exchange.getIoThread(),
                work -> channel.getReadSetter().set(ignored -> work.run()),
                channel::resumeReads,
                channel::suspendReads);
    }

    /** A wait for room in the socket. */
    static PacedChannel writing(HttpServerExchange exchange, StreamSinkChannel channel) {
        return new PacedChannel(
                exchange.getIoThread(),
                work -> channel.getWriteSetter().set(ignored -> work.run()),
                channel::resumeWrites,
                channel::suspendWrites);
    }

    /**
     * Calls work each time the client can go on, until {@link #end}. Call it once, on the I/O thread, which makes all
     * calls.
     *
     * @param remainingNanos the nanoseconds that are left; bytes of the client may lengthen them
     * @param late called once when none are left; the wait has ended then
     */
    void watch(Runnable work, LongSupplier remainingNanos, Runnable late) {
        arm(remainingNanos, late);
        listen.accept(() -> {
            if (!ended) {
                work.run();
            }
        });
        resume.run();
    }

    private void arm(LongSupplier remainingNanos, Runnable late) {
        timer = IoTimer.after(
                thread,
                () -> tick(remainingNanos, late),
                Math.max(1, remainingNanos.getAsLong()),
                TimeUnit.NANOSECONDS);
    }

    private void tick(LongSupplier remainingNanos, Runnable late) {
        if (ended) {
            return;
        }
        if (remainingNanos.getAsLong() > 0) {
            arm(remainingNanos, late);
        } else {
            end();
            late.run();
        }
    }

    /** Ends what {@link #watch} has begun. Later calls do nothing. On the I/O thread. */
    void end() {
        XnioExecutor.Key armed = timer;
        if (!ended && armed != null) {
            armed.remove();
            suspend.run();
        }
        ended = true;
    }

    /**
     * Parks this thread until the client can go on.
     *
     * @param remainingNanos as for {@link #watch}; who makes it 0 at once must unpark the thread
     * @return false when the time is over, or the server stops
     */
    boolean await(ClientWaits waits, LongSupplier remainingNanos) {
        Thread waiting = Thread.currentThread();
        ready = false;
        listen.accept(() -> {
            suspend.run();
            ready = true;
            LockSupport.unpark(waiting);
        });
        resume.run();
        boolean inTime = waits.await(() -> ready, remainingNanos);
        if (!inTime) {
            suspend.run();
        }
        return inTime;
    }
}
