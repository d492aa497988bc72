package service.http.limit;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import service.core.budget.Claim;

/**
 * The change-feed consumers that wait for a commit, one future each. They hold no thread and do not count as executing
 * requests. Each actor and graph has its share of them. A stopping server wakes them all. Thread rule: any thread.
 */
public final class WaitingConsumers {
    /** Compared by identity, because one future may be waited for twice. */
    private static final class Place {
        final CompletableFuture<Boolean> news;

        Place(CompletableFuture<Boolean> news) {
            this.news = news;
        }
    }

    private final Places places;
    private final Set<Place> waiting = new HashSet<>();
    private long begun;

    /** @param manyGraphs whether there is another graph for which one could leave places */
    public WaitingConsumers(Limits limits, boolean manyGraphs, Refusals refusals) {
        places = new Places(
                limits.getInt(Limit.MAX_WAITING_CONSUMERS),
                limits.getInt(Limit.SHARE_PERCENT),
                manyGraphs,
                refusals,
                new Places.Causes(
                        Refusals.Cause.CONSUMERS, Refusals.Cause.ACTOR_CONSUMERS, Refusals.Cause.GRAPH_CONSUMERS));
    }

    /** Registers a consumer until its future completes, unless too many wait. */
    public Taken enter(Claim<Holder> claim, CompletableFuture<Boolean> news) {
        Taken taken = places.take(claim);
        if (!taken.isYes()) {
            return taken;
        }
        Place place = new Place(news);
        synchronized (this) {
            waiting.add(place);
            begun++;
        }
        var unused = news.whenComplete((moved, failure) -> leave(claim, place));
        return taken;
    }

    /** Whether a consumer would be registered now, for answers that begin before they wait. */
    public Taken check(Claim<Holder> claim) {
        return places.check(claim);
    }

    private void leave(Claim<Holder> claim, Place place) {
        synchronized (this) {
            waiting.remove(place);
        }
        places.give(claim);
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

    public synchronized int size() {
        return waiting.size();
    }
}
