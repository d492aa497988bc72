package service.core.graph.request;

import java.util.function.Supplier;
import service.core.budget.NoWaiting;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.port.CommitLog;
import service.core.port.GraphStorage;

/**
 * Keeps a write from being refused over an old state, where other processes write the graph too. What the writer
 * decides is decided over the newest state; this is for what is refused before it gets there. Any thread.
 */
public final class NewestState {
    private final GraphStorage storage;

    public NewestState(GraphStorage storage) {
        this.storage = storage;
    }

    /**
     * Waits until sessions show everything that was committed when this was called: for writes that cannot run twice,
     * or that resolve refs once.
     *
     * @throws ServiceException NOT_YET_HERE or RECOVERY_REQUIRED when the store does not answer
     */
    public void await(RequestBudget budget) {
        if (storage.isShared()) {
            await(System.nanoTime(), budget);
        }
    }

    /** As {@link #await(RequestBudget)}, for a request that does not compute. */
    public void await() {
        if (storage.isShared()) {
            NoWaiting.giveUp();
            CommitLog.await(storage.awaitTail(System.nanoTime()));
        }
    }

    private void await(long sinceNanos, RequestBudget budget) {
        NoWaiting.giveUp();
        budget.blocking(() -> CommitLog.await(storage.awaitTail(sinceNanos)));
    }

    /**
     * Runs a write. When it is refused on this thread, and the refusal may come from an old state, it runs once more
     * over the newest one, whose refusal is final.
     */
    public <T> T decide(RequestBudget budget, Supplier<T> write) {
        long came = System.nanoTime();
        try {
            return write.get();
        } catch (ServiceException refusal) {
            if (!storage.isShared() || !isOfState(refusal)) {
                throw refusal;
            }
        }
        await(came, budget);
        return write.get();
    }

    private static boolean isOfState(ServiceException refusal) {
        ErrorCode code = refusal.code();
        boolean depends = code == ErrorCode.BAD_REQUEST
                || code == ErrorCode.NOT_FOUND
                || code == ErrorCode.CONFLICT
                || code == ErrorCode.PRECONDITION_FAILED
                || code == ErrorCode.SNAPSHOT_RECLAIMED;
        return depends && refusal.reason() != Reason.READ_ONLY;
    }
}
