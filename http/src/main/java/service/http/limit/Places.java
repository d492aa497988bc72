package service.http.limit;

import org.jspecify.annotations.Nullable;
import service.core.budget.Claim;
import service.core.budget.ClaimQueue;
import service.core.budget.Shares;

/**
 * A bounded number of places that senders and graphs share ({@link Shares}), and what waits for one. A free place goes
 * to senders and graphs in turn ({@link ClaimQueue}), as far as they have not their share. Thread rule: any thread;
 * callbacks run outside the lock.
 */
final class Places {
    private final Shares senders;

    /** Null where no share of a graph is a bound. */
    private final @Nullable Shares graphs;

    private final ClaimQueue<Holder, Waiting> waiting = new ClaimQueue<>();
    private final Refusals refusals;
    private final Causes causes;

    /**
     * What a refusal counts as.
     *
     * @param none no place is free
     * @param sender the sender has its share
     * @param graph the requests for the graph have their share
     */
    record Causes(Refusals.Cause none, Refusals.Cause sender, Refusals.Cause graph) {}

    private record Waiting(Claim<Holder> claim, Runnable turn) {}

    /**
     * @param max places of all holders together
     * @param sharePercent what one sender alone may have; a graph may have half of the rest, too
     * @param manyGraphs whether graphs have shares; otherwise they only take turns
     */
    Places(int max, int sharePercent, boolean manyGraphs, Refusals refusals, Causes causes) {
        this.senders = new Shares(max, sharePercent);
        this.graphs = manyGraphs ? new Shares(max, percentOfGraphs(sharePercent)) : null;
        this.refusals = refusals;
        this.causes = causes;
    }

    /** A sender that has its share leaves some of that of the graph to other senders. */
    static int percentOfGraphs(int sharePercent) {
        return sharePercent + (100 - sharePercent) / 2;
    }

    /** Takes a place, or counts a refusal. */
    synchronized Taken take(Claim<Holder> claim) {
        Taken taken = check(claim);
        if (taken.isYes()) {
            force(claim);
        }
        return taken;
    }

    /** What {@link #take} would return; also counts a refusal. */
    synchronized Taken check(Claim<Holder> claim) {
        if (mayTake(claim)) {
            return Taken.YES;
        }
        if (senders.isFull()) {
            refusals.count(causes.none);
            return Taken.NONE_IS_FREE;
        }
        if (!mayTake(senders, claim.sender())) {
            refusals.count(causes.sender);
            return Taken.SHARE_IS_USED;
        }
        refusals.count(causes.graph);
        return Taken.GRAPH_SHARE_IS_USED;
    }

    /**
     * Takes a place, or waits for one; never refused.
     *
     * @param turn called once with the place, unless there is one now. It runs on the thread that gives a place back,
     *     so it must only pass the work on
     * @return whether the caller has a place now
     */
    synchronized boolean takeOrWait(Claim<Holder> claim, Runnable turn) {
        if (mayTake(claim)) {
            force(claim);
            return true;
        }
        waiting.add(claim, new Waiting(claim, turn));
        return false;
    }

    /** Takes a place even where none is free, for a request that was accepted before. */
    synchronized void force(Claim<Holder> claim) {
        senders.force(claim.sender());
        if (graphs != null) {
            graphs.force(claim.graph());
        }
    }

    /**
     * Lets a place count for a graph from now on, or counts a refusal, after which it counts as before.
     *
     * @param from of a graph without a bound, so that nothing waits for its place
     * @return whether the place counts for the graph
     */
    synchronized boolean move(Claim<Holder> from, Claim<Holder> to) {
        if (graphs == null) {
            return true;
        }
        graphs.give(from.graph());
        boolean moved = mayTake(graphs, to.graph());
        graphs.force(moved ? to.graph() : from.graph());
        if (!moved) {
            refusals.count(causes.graph);
        }
        return moved;
    }

    /** As {@link #move}, beyond every bound. */
    synchronized void forceMove(Claim<Holder> from, Claim<Holder> to) {
        if (graphs != null) {
            graphs.give(from.graph());
            graphs.force(to.graph());
        }
    }

    /** Gives a place back, and to whom waits. */
    void give(Claim<Holder> claim) {
        Waiting next = next(claim);
        while (next != null) {
            next.turn.run();
            next = next(null);
        }
    }

    /** With more places free, more than one holder may have come below its share. */
    private synchronized @Nullable Waiting next(@Nullable Claim<Holder> gives) {
        if (gives != null) {
            senders.give(gives.sender());
            if (graphs != null) {
                graphs.give(gives.graph());
            }
        }
        if (waiting.isEmpty() || senders.isFull()) {
            return null;
        }
        Waiting next = waiting.poll(this::mayTake);
        if (next != null) {
            force(next.claim);
        }
        return next;
    }

    private boolean mayTake(Claim<Holder> claim) {
        return mayTake(senders, claim.sender()) && (graphs == null || mayTake(graphs, claim.graph()));
    }

    private static boolean mayTake(Shares shares, Holder holder) {
        return holder.isLimited() ? shares.mayTake(holder) : !shares.isFull();
    }

    synchronized int taken() {
        return (int) senders.taken();
    }

    synchronized int waiting() {
        return waiting.size();
    }

    /** Holders and claims of which anything is kept. */
    synchronized int holders() {
        return senders.holders() + (graphs == null ? 0 : graphs.holders()) + waiting.claims();
    }
}
