package service.log.segment;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When something was last known of a bucket, and whether it still holds because no object that was there then can have
 * been deleted since. What packing and cleanup replace is kept for a time, the reclaim delay; a look is recent for half
 * of it. Two clocks must say so, because one of them may stand still while the machine sleeps, and the other one may be
 * set. Any thread.
 */
final class LastLook {
    /** A moment by both clocks. */
    record Moment(long nanos, long millis) {
        static Moment ofMachine() {
            return new Moment(System.nanoTime(), System.currentTimeMillis());
        }
    }

    private final SegmentStore segments;
    private volatile @Nullable Moment at;

    /** @param segments has the reclaim delay and the clocks */
    LastLook(SegmentStore segments) {
        this.segments = segments;
    }

    /** @param moment before the request that has shown it began */
    void at(Moment moment) {
        at = moment;
    }

    boolean isRecent() {
        Moment last = at;
        if (last == null) {
            return false;
        }
        Moment now = segments.now();
        return isWithin(TimeUnit.NANOSECONDS.toMillis(now.nanos - last.nanos)) && isWithin(now.millis - last.millis);
    }

    private boolean isWithin(long passedMillis) {
        return passedMillis >= 0
                && passedMillis < segments.reclaimDelay().dividedBy(2).toMillis();
    }
}
