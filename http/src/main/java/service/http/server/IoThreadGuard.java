package service.http.server;

import java.util.concurrent.TimeUnit;

/**
 * Keeps slow storage away from the I/O thread. Brief calls run on it, because they take microseconds where the pages of
 * the graph are in memory. A page that has to be read from disk blocks the thread, and every connection with it, and no
 * check can see that before the access. So after a call that took {@link #SLOW_NANOS}, the calls on graphs go to worker
 * threads for {@link #PAUSE_NANOS}; then the next one tries again.
 *
 * <p>Any thread; times are those of {@link System#nanoTime}.
 */
final class IoThreadGuard {
    static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private volatile boolean paused;
    private volatile long pauseEndNanos;

    /** Whether a brief call on a graph may run on the I/O thread now. */
    boolean isOpen(long nowNanos) {
        if (paused && nowNanos - pauseEndNanos >= 0) {
            paused = false;
        }
        return !paused;
    }

    /** Records a call that ran on the I/O thread. */
    void ran(long startNanos, long endNanos) {
        if (endNanos - startNanos >= SLOW_NANOS) {
            pauseEndNanos = endNanos + PAUSE_NANOS;
            paused = true;
        }
    }
}
