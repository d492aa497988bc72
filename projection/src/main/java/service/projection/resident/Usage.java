package service.projection.resident;

import java.util.concurrent.atomic.LongAdder;

/**
 * How many rows a second a block answers. Any thread counts; the rate is read and brought up to date under the lock of
 * {@link ResidentMemory}.
 */
final class Usage {
    /** A shorter time says little about a rate. */
    private static final long PERIOD_NANOS = 1_000_000_000;

    private final LongAdder rows = new LongAdder();
    private final long began;
    private double perSecond;
    private long since;

    /**
     * Begins with the rate at which the tables answered the rows before there was a block.
     *
     * @param now of {@link System#nanoTime}
     */
    Usage(double perSecond, long now) {
        this.perSecond = perSecond;
        this.began = now;
        this.since = now;
    }

    /** The time at which this was made. */
    long began() {
        return began;
    }

    void add(int more) {
        rows.add(more);
    }

    /** Rows a second: the mean of the rate before and the rate of the time since it was asked for. */
    double perSecond(long now) {
        long elapsed = now - since;
        if (elapsed >= PERIOD_NANOS) {
            perSecond = (perSecond + rows.sumThenReset() * 1e9 / elapsed) / 2;
            since = now;
        }
        return perSecond;
    }
}
