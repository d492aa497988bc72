package service.http.limit;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Consumers that wait for news: each a future, beside the requests at work and in nobody's way. A stopping server wakes
 * them all. Any thread.
 */
public final class WaitingConsumers {
    /** Known by itself alone. */
    private static final class Place {
        final CompletableFuture<Boolean> news;

        Place(CompletableFuture<Boolean> news) {
            this.news = news;
        }
    }

    private final int max;
    private final Set<Place> waiting = new HashSet<>();
    private long begun;

    public WaitingConsumers(Limits limits) {
        max = limits.getInt(Limit.MAX_WAITING_CONSUMERS);
    }

    /** Keeps a waiter until it is woken; false: too many wait. */
    public boolean enter(CompletableFuture<Boolean> news) {
        Place place = new Place(news);
        synchronized (this) {
            if (waiting.size() >= max) {
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

    /** Tells everybody that there is nothing new. */
    public void wakeAll() {
        List<Place> all;
        synchronized (this) {
            all = List.copyOf(waiting);
        }
        all.forEach(place -> place.news.complete(false));
    }

    /** Waits begun since the start: a consumer that is woken and finds nothing new begins another. */
    public synchronized long begun() {
        return begun;
    }

    public synchronized int size() {
        return waiting.size();
    }
}
