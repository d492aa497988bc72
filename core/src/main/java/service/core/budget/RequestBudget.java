package service.core.budget;

import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The share of one request in its process, from its first byte to the last byte of its answer: a {@link MemoryAccount},
 * a turn of the {@link ComputeShare}, and the check whether its caller still waits.
 *
 * <p>Thread rule: the account may be charged by any thread; {@link #checkpoint} and {@link #blocking} belong to the one
 * thread that works on the request at that time. {@link #close} comes last, once.
 */
public final class RequestBudget implements AutoCloseable {
    private final MemoryAccount memory;
    private final ComputeShare.@Nullable Turn turn;
    private final SpillSpace spill;
    private final BooleanSupplier cancelled;
    private final long queryBytesMax;
    private @Nullable QueryWatch watch;
    private Runnable atEnd = () -> {};

    RequestBudget(
            MemoryAccount memory,
            ComputeShare.@Nullable Turn turn,
            SpillSpace spill,
            BooleanSupplier cancelled,
            long queryBytesMax) {
        this.memory = memory;
        this.turn = turn;
        this.spill = spill;
        this.cancelled = cancelled;
        this.queryBytesMax = queryBytesMax;
    }

    /** The memory of the request. */
    public MemoryAccount memory() {
        return memory;
    }

    /** Maximum heap memory of one query, in bytes; other requests are bounded by the pool alone. */
    public long queryBytesMax() {
        return queryBytesMax;
    }

    /** Reports the slow queries of this request from now on. Call it before the request runs a query. */
    public void report(QueryWatch to) {
        watch = to;
    }

    /** Takes the slow queries of this request; null when none are wanted. */
    public @Nullable QueryWatch watch() {
        return watch;
    }

    /** Disk space for bytes that the request does not keep on the heap. The opener of a spill closes it. */
    public SpillSpace spill() {
        return spill;
    }

    /** Whether the caller is gone. */
    public boolean isCancelled() {
        return cancelled.getAsBoolean();
    }

    /**
     * The same budget for a step on the writer's thread: it waits for no turn, never yields, and is not cancelled,
     * because other commands share its transaction. It is closed with this one.
     */
    public RequestBudget onWriter() {
        return new RequestBudget(memory, null, spill, () -> false, queryBytesMax);
    }

    /** The same budget for work that waits for no turn, such as event streams. It is closed with this one. */
    public RequestBudget withoutTurn() {
        return new RequestBudget(memory, null, spill, cancelled, queryBytesMax);
    }

    /**
     * The same budget for work that ends for one more reason, such as a deadline. It is closed with this one.
     *
     * @param ended asked at every checkpoint, as {@link #isCancelled} is; must be quick
     */
    public RequestBudget endedBy(BooleanSupplier ended) {
        return new RequestBudget(
                memory, turn, spill, () -> ended.getAsBoolean() || cancelled.getAsBoolean(), queryBytesMax);
    }

    /** Returns the turn when the answer is computed; a later {@link #checkpoint} may take one again. */
    public void endComputing() {
        if (turn != null) {
            turn.pause();
        }
    }

    /**
     * Lets other requests compute, and ends a request that must not continue. Call it at least every 10 ms of work.
     *
     * @param deadline throws when the time of the request is over
     * @throws CancellationException when the caller is gone
     */
    public void checkpoint(Runnable deadline) {
        if (turn == null) {
            check(deadline);
        } else {
            turn.checkpoint(() -> check(deadline));
        }
    }

    private void check(Runnable deadline) {
        if (cancelled.getAsBoolean()) {
            throw new CancellationException("the caller does not wait for this request any more");
        }
        memory.requireGoingOn();
        deadline.run();
    }

    /** Runs a step that blocks for something other than processors, such as the writer or a slow client. */
    public <T> T blocking(Supplier<T> step) {
        if (turn == null) {
            return step.get();
        }
        turn.pause();
        try {
            return step.get();
        } finally {
            turn.resume();
        }
    }

    /** Sets work for {@link #close}, such as the release of what the answer shares with others. At most once. */
    public void atEnd(Runnable work) {
        atEnd = work;
    }

    /** Returns the memory and the turn. Later calls do nothing. */
    @Override
    public void close() {
        if (turn != null) {
            turn.close();
        }
        memory.close();
        atEnd.run();
        atEnd = () -> {};
    }
}
