package service.http.observe;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts requests by route and status. Thread rule: any thread. */
public final class RequestCounters {
    /** A route and a status; the status is 0 for a connection that was closed without a complete response. */
    public record Key(String route, int status) {}

    private final ConcurrentHashMap<Key, LongAdder> counts = new ConcurrentHashMap<>();

    public void count(String route, int status) {
        counts.computeIfAbsent(new Key(route, status), ignored -> new LongAdder())
                .increment();
    }

    /** A copy of the counts, ordered by route and status. */
    public Map<Key, Long> snapshot() {
        Map<Key, Long> snapshot =
                new TreeMap<>(java.util.Comparator.comparing(Key::route).thenComparingInt(Key::status));
        counts.forEach((key, count) -> snapshot.put(key, count.sum()));
        return snapshot;
    }
}
