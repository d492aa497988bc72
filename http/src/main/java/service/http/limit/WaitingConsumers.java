package service.http.limit;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The change-feed consumers that wait for a commit, one future each. They hold no thread and do not count as executing
 * requests. A stopping server wakes them all. Thread rule: any thread.
 */
public final class WaitingConsumers {
    /** Compared by identity, because one future may be waited for twice. */
    private static final class Place {
        final CompletableFuture<Boolean> news;

        Place(CompletableFuture<Boolean> news) {
            this.news = news;
        }
    }

    private final int max;
    private final Set<Place> waiting = new HashSet<>();
    private long begun;
    private long refused;

    public WaitingConsumers(Limits limits) {
        max = limits.getInt(Limit.MAX_WAITING_CONSUMERS);
    }

    /** Registers a consumer until its future completes. Returns false when too many consumers wait. */
    public boolean enter(CompletableFuture<Boolean> news) {
        Place place = new Place(news);
        synchronized (this) {
            if (waiting.size() >= max) {
                refused++;
                return false;
            }
            waiting.add(place);
            begun++;
        }
        var unused = news.whenComplete((moved, failure) -> leave(place));
        return true;
    }

    private synchronized void leave(Place place) {
        waiting.remove(place);
    }

    /** Completes all futures with {@code false}: there is nothing new. */
    public void wakeAll() {
        List<Place> all;
        synchronized (this) {
            all = List.copyOf(waiting);
        }
        all.forEach(place -> place.news.complete(false));
    }

    /** Number of waits since the start; a consumer that is woken and finds nothing new begins another wait. */
    public synchronized long begun() {
        return begun;
    }

    /** Number of consumers that were refused since the start. */
    public synchronized long refused() {
        return refused;
    }

    public synchronized int size() {
        return waiting.size();
    }
}
