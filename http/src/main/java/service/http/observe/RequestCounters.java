package service.http.observe;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How many requests each route answered with each status. Any thread. */
public final class RequestCounters {
    /** Status 0 stands for a connection that was closed without a whole response. */
    public record Key(String route, int status) {}

    private final ConcurrentHashMap<Key, LongAdder> counts = new ConcurrentHashMap<>();

    public void count(String route, int status) {
        counts.computeIfAbsent(new Key(route, status), ignored -> new LongAdder())
                .increment();
    }

    /** The counts of this moment. */
    public Map<Key, Long> snapshot() {
        Map<Key, Long> snapshot =
                new TreeMap<>(java.util.Comparator.comparing(Key::route).thenComparingInt(Key::status));
        counts.forEach((key, count) -> snapshot.put(key, count.sum()));
        return snapshot;
    }
}
