package service.projection.storage;

import java.util.concurrent.TimeUnit;

/**
 * Sets how long a slice of maintenance may hold the writer. A slice ends by the clock, but the commit of its
 * transaction does not: its time depends on the number of pages the slice has changed, and on the disk. So the time of
 * each slice includes its commit. After a slice that held the writer for more than {@link #HOLD_NANOS}, the next one
 * works half as long; otherwise it works a quarter longer.
 *
 * <p>Writer's thread only, except {@link #longestNanos}: any thread.
 */
final class SlicePace {
    /**
     * The time for which a slice may hold the writer: a fifth of the longest time that a commit may wait for cleanup.
     */
    static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    static final long WORK_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(5);
    static final long WORK_NANOS_MIN = WORK_NANOS_MAX / 64;

    /** The first slice of a run is short, because the cost of its commit is not known yet. */
    private static final long WORK_NANOS_FIRST = WORK_NANOS_MAX / 8;

    private long workNanos = WORK_NANOS_FIRST;
    private volatile long longestNanos;

    /** The time that the next slice may work before its commit. */
    long workNanos() {
        return workNanos;
    }

    /** Records how long a slice has held the writer, its commit included. */
    void held(long nanos) {
        longestNanos = Math.max(longestNanos, nanos);
        workNanos = nanos > HOLD_NANOS
                ? Math.max(WORK_NANOS_MIN, workNanos / 2)
                : Math.min(WORK_NANOS_MAX, workNanos + workNanos / 4);
    }

    /** The longest time for which a slice has held the writer since {@link #restart}. */
    long longestNanos() {
        return longestNanos;
    }

    /** Resets the times for a new run. */
    void restart() {
        workNanos = WORK_NANOS_FIRST;
        longestNanos = 0;
    }
}
