package service.projection.search.index;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** How long indexing takes, by what is done. Any thread. */
final class WorkTimes {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What an indexer does. */
    enum Work {
        /** Puts changes into an index. */
        FOLLOW,
        /** Makes an index of all records. */
        BUILD,
        /** Makes what it has visible to searches, which writes a segment. */
        REFRESH,
        /** Joins segments. */
        MERGE,
        /** Makes it durable. */
        COMMIT
    }

    private final Map<Work, LongAdder> nanos = new EnumMap<>(Work.class);

    WorkTimes() {
        for (Work work : Work.values()) {
            nanos.put(work, new LongAdder());
        }
    }

    /** Adds the time since a moment of {@link System#nanoTime}. */
    void since(Work work, long beganNanos) {
        nanos.getOrDefault(work, new LongAdder()).add(System.nanoTime() - beganNanos);
    }

    /** Seconds by the name of the work, in lower case. */
    Map<String, Double> seconds() {
        Map<String, Double> seconds = new TreeMap<>();
        nanos.forEach((work, sum) -> seconds.put(work.name().toLowerCase(Locale.ROOT), sum.sum() / NANOS));
        return seconds;
    }
}
