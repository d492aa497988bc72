package service.http.observe;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts requests by route and status, and their times by route. Thread rule: any thread. */
public final class RequestCounters {
    /** The first class of times ends at 64 µs, each further one at twice as much; the last but one at 67 s. */
    private static final int FIRST_BITS = 6;

    /** Classes of times. */
    public static final int CLASSES = 22;

    /** A route and a status; the status is 0 for a connection that was closed without a complete response. */
    public record Key(String route, int status) {}

    private final ConcurrentHashMap<Key, LongAdder> counts = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, LongAdder[]> times = new ConcurrentHashMap<>();

    public void count(String route, int status, long nanos) {
        counts.computeIfAbsent(new Key(route, status), ignored -> new LongAdder())
                .increment();
        times.computeIfAbsent(route, ignored -> adders())[classOf(TimeUnit.NANOSECONDS.toMicros(nanos))].increment();
    }

    private static LongAdder[] adders() {
        LongAdder[] made = new LongAdder[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            made[i] = new LongAdder();
        }
        return made;
    }

    static int classOf(long micros) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, micros));
        return Math.min(CLASSES - 1, Math.max(0, bits - FIRST_BITS));
    }

    /** The microseconds below which the times of a class are; the last class has no bound. */
    public static long boundMicros(int times) {
        return 1L << (FIRST_BITS + times);
    }

    /** A copy of the counts, ordered by route and status. */
    public Map<Key, Long> snapshot() {
        Map<Key, Long> snapshot =
                new TreeMap<>(java.util.Comparator.comparing(Key::route).thenComparingInt(Key::status));
        counts.forEach((key, count) -> snapshot.put(key, count.sum()));
        return snapshot;
    }

    /** The number of requests in each class of times, by route, in the order of routes. */
    public Map<String, long[]> times() {
        Map<String, long[]> snapshot = new TreeMap<>();
        times.forEach((route, adders) -> {
            long[] of = new long[CLASSES];
            for (int i = 0; i < CLASSES; i++) {
                of[i] = adders[i].sum();
            }
            snapshot.put(route, of);
        });
        return snapshot;
    }
}
