package service.core.budget;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.lifecycle.Closing;

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
    private final Belongings belongings;
    private volatile boolean closed;
    private @Nullable QueryWatch watch;
    private @Nullable Consumer<String> named;

    RequestBudget(
            MemoryAccount memory,
            ComputeShare.@Nullable Turn turn,
            SpillSpace spill,
            BooleanSupplier cancelled,
            long queryBytesMax) {
        this(memory, turn, new Belongings(), spill, cancelled, queryBytesMax);
    }

    private RequestBudget(
            MemoryAccount memory,
            ComputeShare.@Nullable Turn turn,
            Belongings belongings,
            SpillSpace spill,
            BooleanSupplier cancelled,
            long queryBytesMax) {
        this.memory = memory;
        this.turn = turn;
        this.belongings = belongings;
        this.spill = spill;
        this.cancelled = cancelled;
        this.queryBytesMax = queryBytesMax;
    }

    /**
     * Sets whose request this is. Requests that wait for a processor, or to grow large, are taken in turn by sender and
     * by graph. Call it on the thread of the request, while it waits for no turn.
     *
     * @param boundsSender whether the requests of the sender together may have no more memory than one alone
     * @param boundsGraph whether those for the graph leave memory to requests for other graphs
     */
    public void belongTo(Claim<Object> claim, boolean boundsSender, boolean boundsGraph) {
        if (turn != null) {
            turn.belongTo(claim);
        }
        memory.belongTo(claim, boundsSender, boundsGraph);
    }

    /** Says what counts the request for a graph that only its body names. Call it before the request runs. */
    public void whenGraphIsNamed(Consumer<String> counting) {
        named = counting;
    }

    /**
     * Counts the request from now on for a graph that its body names. It does nothing where its path names one.
     *
     * @throws service.core.error.ServiceException TOO_MANY_REQUESTS when the graph has its share
     */
    public void nameGraph(String graph) {
        if (named != null) {
            named.accept(graph);
        }
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

    /** Disk space for bytes that the request does not keep on the heap. A spill is closed with the request. */
    public SpillSpace spill() {
        return new OwnedSpills(spill, belongings);
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
        return derived(null, () -> false);
    }

    /** The same budget for work that waits for no turn, such as event streams. It is closed with this one. */
    public RequestBudget withoutTurn() {
        return derived(null, cancelled);
    }

    /**
     * The same budget for work that ends for one more reason, such as a deadline. It is closed with this one.
     *
     * @param ended asked at every checkpoint, as {@link #isCancelled} is; must be quick
     */
    public RequestBudget endedBy(BooleanSupplier ended) {
        return derived(turn, () -> ended.getAsBoolean() || cancelled.getAsBoolean());
    }

    /**
     * A budget for work of the request on a second thread, which takes its own turn. It charges the same memory and is
     * closed with this one. It does not ask whether the caller is gone: that reads the connection, which only the
     * request's own thread may do, and which may be reading the body there.
     *
     * @param ended asked at every checkpoint; must be quick
     */
    RequestBudget beside(BooleanSupplier ended) {
        return derived(turn == null ? null : turn.beside(), ended);
    }

    /** A budget of the same request, which shares what it holds and reports its slow queries. */
    private RequestBudget derived(ComputeShare.@Nullable Turn other, BooleanSupplier ended) {
        RequestBudget derived = new RequestBudget(memory, other, belongings, spill, ended, queryBytesMax);
        derived.watch = watch;
        derived.named = named;
        return derived;
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

    /**
     * Waits before the request grows, when it is large already, until no other request does, at most half a minute. Of
     * many large requests at the same time some succeed then, instead of all of them being refused. Only for a thread
     * that may block.
     */
    public void growInTurn() {
        if (memory.isLarge()) {
            blocking(() -> {
                memory.growInTurn(() -> check(() -> {}));
                return memory;
            });
        }
    }

    /** Lets {@link #close} release something that the request uses, such as what its answer shares with others. */
    public void own(AutoCloseable belonging) {
        belongings.add(belonging);
    }

    /** Takes back what was given to {@link #own}: the caller has released it, or does so later. */
    public void disown(AutoCloseable belonging) {
        belongings.remove(belonging);
    }

    /**
     * Keeps what the request has opened until a write is done: the writer may read a spill after the request has ended.
     *
     * @return the same outcome, completed after the release
     */
    public <T> CompletableFuture<T> holdUntil(CompletableFuture<T> outcome) {
        belongings.hold();
        return outcome.whenComplete((result, failure) -> belongings.release());
    }

    /** Returns the memory and the turn, and closes what the request has opened. Later calls do nothing. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Closing.all(this::endComputing, memory, belongings::release);
    }
}
