package service.http.server;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import service.core.budget.NoWaiting;

/**
 * Keeps slow storage away from the I/O thread. Brief calls run on it, because they take microseconds where the pages of
 * the graph are in memory. A page that has to be read from disk blocks the thread, and every connection with it, and no
 * check can see that before the access. So after a call that took {@link #SLOW_NANOS} and read from disk, the calls on
 * graphs go to worker threads for {@link #PAUSE_NANOS}; then the next one tries again.
 *
 * <p>A call that was slow for another reason pauses nothing: when the processors are busy, a thousand consumers that
 * come back at one commit would only make them busier on a thread each.
 *
 * <p>Any thread; times are those of {@link System#nanoTime}.
 */
final class IoThreadGuard {
    static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final BooleanSupplier readFromDisk;
    private volatile boolean paused;
    private volatile long pauseEndNanos;

    /** @param readFromDisk whether the calling thread has read a page from disk since it asked last */
    IoThreadGuard(BooleanSupplier readFromDisk) {
        this.readFromDisk = readFromDisk;
    }

    /** Whether a brief call on a graph may run on the I/O thread now. */
    boolean isOpen(long nowNanos) {
        if (paused && nowNanos - pauseEndNanos >= 0) {
            paused = false;
        }
        return !paused;
    }

    /**
     * Runs a step on the I/O thread. The step is given up where it would wait, and measured.
     *
     * @throws NoWaiting.WouldWaitException when it would have to wait
     */
    <T> T call(Callable<T> step) throws Exception {
        long start = System.nanoTime();
        try {
            return NoWaiting.call(step);
        } finally {
            ran(start, System.nanoTime());
        }
    }

    /** Records a call that ran on this thread. */
    void ran(long startNanos, long endNanos) {
        if (endNanos - startNanos >= SLOW_NANOS && readFromDisk.getAsBoolean()) {
            pauseEndNanos = endNanos + PAUSE_NANOS;
            paused = true;
        }
    }
}
