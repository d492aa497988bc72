package service.http.limit;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.budget.FairQueue;
import service.core.budget.Shares;

/**
 * The verifications of signatures, which take about a millisecond each. They run beside the I/O threads, half as many
 * at a time as there are processors, so that a sender of forged tokens takes neither the I/O threads nor all
 * processors. Those that wait are taken in turn by address; their number is bounded, and each address has its share of
 * it.
 *
 * <p>Thread rule: any thread.
 */
public final class Verifications {
    private final Executor threads;
    private final int runningMax = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    private final Shares places;
    private final FairQueue<Verification> waiting = new FairQueue<>();
    private final Refusals refusals;
    private int running;

    private record Verification(Holder holder, Runnable work, Consumer<@Nullable Throwable> then) {}

    /**
     * @param threads runs verifications; must not run them on the calling thread
     * @param refusals counts those that were refused
     */
    public Verifications(Limits limits, Executor threads, Refusals refusals) {
        this.threads = threads;
        this.places = new Shares(limits.getInt(Limit.UNVERIFIED_TOKENS_MAX), limits.getInt(Limit.SHARE_PERCENT));
        this.refusals = refusals;
    }

    /**
     * Runs a verification on another thread.
     *
     * @param address where its token comes from
     * @param then called on that thread when the verification counts no longer, with what the work has thrown; must not
     *     block
     * @return false when too many wait, all together or those of the address; nothing is called then
     */
    public boolean submit(Holder address, Runnable work, Consumer<@Nullable Throwable> then) {
        synchronized (this) {
            if (!places.take(address)) {
                refusals.count(Refusals.Cause.UNVERIFIED_TOKENS);
                return false;
            }
            waiting.add(address, new Verification(address, work, then));
            if (running == runningMax) {
                return true;
            }
            running++;
        }
        threads.execute(this::runAll);
        return true;
    }

    private void runAll() {
        for (Verification next = next(); next != null; next = next()) {
            Throwable thrown = null;
            try {
                next.work.run();
            } catch (Throwable e) {
                thrown = e;
            }
            synchronized (this) {
                places.give(next.holder);
            }
            next.then.accept(thrown);
        }
    }

    private synchronized @Nullable Verification next() {
        Verification next = waiting.poll();
        if (next == null) {
            running--;
        }
        return next;
    }

    /** Tokens that wait or are being verified. */
    public synchronized long pending() {
        return places.taken();
    }
}
