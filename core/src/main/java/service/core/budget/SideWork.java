package service.core.budget;

import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/**
 * Work of a request on a platform thread beside the request's own. It takes a turn of its own of the
 * {@link ComputeShare}, and it ends with the request at the latest. Until {@link #await} or {@link #close} returns, the
 * request's thread does not touch what the work uses.
 */
public final class SideWork implements AutoCloseable {
    private final RequestBudget budget;
    private final FutureTask<Void> task;
    private volatile boolean abandoned;

    private SideWork(RequestBudget budget, Consumer<RequestBudget> work) {
        this.budget = budget;
        this.task = new FutureTask<>(() -> run(work), null);
    }

    /**
     * Starts the work, which takes about a tenth of a millisecond.
     *
     * @param work takes the budget to use; calls its {@link RequestBudget#checkpoint} at least every 10 ms
     */
    public static SideWork start(RequestBudget budget, Consumer<RequestBudget> work) {
        SideWork side = new SideWork(budget, work);
        budget.own(side);
        Thread.ofPlatform().daemon().name("request-side").start(side.task);
        return side;
    }

    private void run(Consumer<RequestBudget> work) {
        RequestBudget own = budget.beside(() -> abandoned);
        try {
            work.accept(own);
        } finally {
            own.endComputing();
        }
    }

    /** Returns when the work has ended, and throws what it has thrown. An interrupt does not end the wait. */
    public void await() {
        switch (budget.blocking(this::end)) {
            case None ignored -> {}
            case Thrown(RuntimeException fault) -> throw fault;
            case Thrown(Error fault) -> throw fault;
            case Thrown(Throwable fault) -> throw new IllegalStateException(fault);
        }
    }

    /** Ends the work, if it has not ended, and waits for that. */
    @Override
    public void close() {
        abandoned = true;
        budget.disown(this);
        var unused = end();
    }

    private sealed interface Outcome {}

    private record None() implements Outcome {}

    private record Thrown(Throwable fault) implements Outcome {}

    private Outcome end() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return new None();
                } catch (ExecutionException e) {
                    return new Thrown(Objects.requireNonNull(e.getCause()));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
