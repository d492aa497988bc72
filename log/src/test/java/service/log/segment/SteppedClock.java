package service.log.segment;

import java.time.Duration;
import java.util.function.LongSupplier;
import service.core.port.ObjectStore;
import service.log.object.RepeatedReads;

/** The objects of a graph as a server sees them whose clock is set while it runs. */
public final class SteppedClock {
    private SteppedClock() {}

    /**
     * The objects of a graph.
     *
     * @param aheadMillis how far the clock is ahead of that of the machine now; the monotonic clock is not set
     */
    public static SegmentStore segments(
            ObjectStore store, String graphId, Duration reclaimDelay, LongSupplier aheadMillis) {
        return new SegmentStore(
                new RepeatedReads(store),
                graphId,
                reclaimDelay,
                () -> new LastLook.Moment(System.nanoTime(), System.currentTimeMillis() + aheadMillis.getAsLong()));
    }
}
