package service.projection.storage;

import java.util.concurrent.TimeUnit;

/**
 * How much of the writer's time a slice of maintenance may take. What a slice does is cut off by the clock, but the
 * commit of its transaction is not: it costs by the pages that the slice has touched, and by the disk. So each slice is
 * timed whole, and the next one works half as long when the last held the writer for more than {@link #HOLD_NANOS}, and
 * a little longer when it did not.
 *
 * <p>Confined to the writer's thread, but for {@link #longestNanos}: any thread.
 */
final class SlicePace {
    /** What a slice may hold the writer: a fifth of what commits may ever wait for cleanup. */
    static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    static final long WORK_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(5);
    static final long WORK_NANOS_MIN = WORK_NANOS_MAX / 64;

    /** A run begins with little: nobody knows yet what a commit costs. */
    private static final long WORK_NANOS_FIRST = WORK_NANOS_MAX / 8;

    private long workNanos = WORK_NANOS_FIRST;
    private volatile long longestNanos;

    /** How long the next slice may work before it commits. */
    long workNanos() {
        return workNanos;
    }

    /** A slice has held the writer for so long, its commit included. */
    void held(long nanos) {
        longestNanos = Math.max(longestNanos, nanos);
        workNanos = nanos > HOLD_NANOS
                ? Math.max(WORK_NANOS_MIN, workNanos / 2)
                : Math.min(WORK_NANOS_MAX, workNanos + workNanos / 4);
    }

    /** The longest that any slice has held the writer since {@link #restart}. */
    long longestNanos() {
        return longestNanos;
    }

    /** Begins again, for a new run. */
    void restart() {
        workNanos = WORK_NANOS_FIRST;
        longestNanos = 0;
    }
}
