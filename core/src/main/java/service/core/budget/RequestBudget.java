package service.core.budget;

import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * What one request may use of its process, from its first byte to the last byte of its answer: a {@link MemoryAccount},
 * a place in the {@link ComputeShare}, and the question whether its caller still waits.
 *
 * <p>Thread rule: the account may be charged by any thread; {@link #checkpoint} and {@link #blocking} belong to the one
 * thread that works on the request at that time. {@link #close} comes last, once.
 */
public final class RequestBudget implements AutoCloseable {
    private final MemoryAccount memory;
    private final ComputeShare.Turn turn;
    private final BooleanSupplier cancelled;

    RequestBudget(MemoryAccount memory, ComputeShare.Turn turn, BooleanSupplier cancelled) {
        this.memory = memory;
        this.turn = turn;
        this.cancelled = cancelled;
    }

    /** The memory of the request. */
    public MemoryAccount memory() {
        return memory;
    }

    /** Whether the caller is gone. */
    public boolean isCancelled() {
        return cancelled.getAsBoolean();
    }

    /**
     * Lets others compute, and ends a request that must not go on. To be called at least every 10 ms of work.
     *
     * @param deadline throws when the time of the request is over
     * @throws CancellationException when the caller is gone
     */
    public void checkpoint(Runnable deadline) {
        turn.checkpoint(() -> {
            if (cancelled.getAsBoolean()) {
                throw new CancellationException("the caller does not wait for this request any more");
            }
            deadline.run();
        });
    }

    /** Runs a step that blocks for something other than processors, such as the writer or a slow client. */
    public <T> T blocking(java.util.function.Supplier<T> step) {
        turn.pause();
        try {
            return step.get();
        } finally {
            turn.resume();
        }
    }

    /** Returns the memory and the turn. Later calls do nothing. */
    @Override
    public void close() {
        turn.close();
        memory.close();
    }
}
