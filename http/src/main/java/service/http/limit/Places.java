package service.http.limit;

import org.jspecify.annotations.Nullable;
import service.core.budget.FairQueue;
import service.core.budget.Shares;

/**
 * A bounded number of places that holders share ({@link Shares}), and what waits for one. A free place goes to the
 * holders in turn, as far as they have not their share. Thread rule: any thread; callbacks run outside the lock.
 */
final class Places {
    private final Shares shares;
    private final FairQueue<Waiting> waiting = new FairQueue<>();
    private final Refusals refusals;
    private final Refusals.Cause none;
    private final Refusals.Cause share;

    private record Waiting(Holder holder, Runnable turn) {}

    /**
     * @param max places of all holders together
     * @param none counted when no place is free
     * @param share counted when the holder has its share
     */
    Places(int max, int sharePercent, Refusals refusals, Refusals.Cause none, Refusals.Cause share) {
        this.shares = new Shares(max, sharePercent);
        this.refusals = refusals;
        this.none = none;
        this.share = share;
    }

    /** Takes a place, or counts a refusal. */
    synchronized Taken take(Holder holder) {
        Taken taken = check(holder);
        if (taken.isYes()) {
            shares.force(holder);
        }
        return taken;
    }

    /** What {@link #take} would return; also counts a refusal. */
    synchronized Taken check(Holder holder) {
        if (mayTake(holder)) {
            return Taken.YES;
        }
        refusals.count(shares.isFull() ? none : share);
        return shares.isFull() ? Taken.NONE_IS_FREE : Taken.SHARE_IS_USED;
    }

    /**
     * Takes a place, or waits for one; never refused.
     *
     * @param turn called once with the place, unless there is one now. It runs on the thread that gives a place back,
     *     so it must only pass the work on
     * @return whether the caller has a place now
     */
    synchronized boolean takeOrWait(Holder holder, Runnable turn) {
        if (mayTake(holder)) {
            shares.force(holder);
            return true;
        }
        waiting.add(holder, new Waiting(holder, turn));
        return false;
    }

    /** Takes a place even where none is free, for a request that was accepted before. */
    synchronized void force(Holder holder) {
        shares.force(holder);
    }

    /** Gives a place back, and to whom waits. */
    void give(Holder holder) {
        Waiting next = next(holder);
        while (next != null) {
            next.turn.run();
            next = next(null);
        }
    }

    /** With more places free, more than one holder may have come below its share. */
    private synchronized @Nullable Waiting next(@Nullable Holder gives) {
        if (gives != null) {
            shares.give(gives);
        }
        if (waiting.isEmpty() || shares.isFull()) {
            return null;
        }
        Waiting next = waiting.poll(holder -> mayTake((Holder) holder));
        if (next != null) {
            shares.force(next.holder);
        }
        return next;
    }

    private boolean mayTake(Holder holder) {
        return holder.isLimited() ? shares.mayTake(holder) : !shares.isFull();
    }

    synchronized int taken() {
        return (int) shares.taken();
    }

    synchronized int waiting() {
        return waiting.size();
    }

    /** Holders of which anything is kept. */
    synchronized int holders() {
        return shares.holders() + waiting.holders();
    }
}
