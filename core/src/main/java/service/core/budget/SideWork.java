package service.core.budget;

import java.util.function.Consumer;
import service.core.lifecycle.SideThread;

/**
 * Work of a request on a {@link SideThread}. The work takes its own turn of the {@link ComputeShare}, and it ends with
 * the request at the latest. Until {@link #await} or {@link #close} returns, the request's thread does not touch what
 * the work uses.
 */
public final class SideWork implements AutoCloseable {
    private final RequestBudget budget;
    private final SideThread thread;
    private volatile boolean abandoned;

    private SideWork(RequestBudget budget, Consumer<RequestBudget> work) {
        this.budget = budget;
        this.thread = SideThread.start(() -> run(budget.beside(() -> abandoned), work));
    }

    /**
     * Starts the work, which takes about a tenth of a millisecond.
     *
     * @param work takes the budget to use; calls its {@link RequestBudget#checkpoint} at least every 10 ms
     */
    public static SideWork start(RequestBudget budget, Consumer<RequestBudget> work) {
        SideWork side = new SideWork(budget, work);
        budget.own(side);
        return side;
    }

    private static void run(RequestBudget own, Consumer<RequestBudget> work) {
        try {
            work.accept(own);
        } finally {
            own.endComputing();
        }
    }

    /** Returns when the work has ended, and throws what it has thrown. An interrupt does not end the wait. */
    public void await() {
        budget.blocking(() -> {
            thread.await();
            return true;
        });
        thread.rethrow();
    }

    /** Ends the work, if it has not ended, and waits for that. */
    @Override
    public void close() {
        abandoned = true;
        budget.disown(this);
        thread.await();
    }
}
