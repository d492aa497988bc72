package service.core.graph.request;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.blob.StagedBlobs;
import service.core.budget.RequestBudget;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;

/**
 * One write that is prepared ahead: a mutation, a load, a merge or a migration.
 *
 * <p><b>Idea.</b> The caller's thread does the work over the graph as it is then. The writer's thread, which all writes
 * of the graph share, decides only whether the prepared work holds over the graph as it is now, and commits it. If it
 * does not hold, the caller's thread prepares it again. After {@link #ATTEMPTS_AHEAD} attempts the writer is told that
 * it is the last one, so that steady writes of others cannot delay a write for ever.
 *
 * <p>This class has the loop, looks up the idempotency key before each step, waits for the writer without a turn to
 * compute, and releases what was prepared. A kind of write says how it prepares and how the writer decides.
 *
 * <p>Thread rule: one use. {@link #prepare} runs on the caller's thread and {@link #decide} on the writer's, never at
 * the same time.
 *
 * @param <P> what is prepared
 * @param <R> the answer
 */
public abstract class PreparedWrite<P, R> {
    private static final int ATTEMPTS_AHEAD = 3;

    /**
     * Runs writes that turn out to be too long for the writer. They compute, so they need platform threads; there is at
     * most one for each admitted request.
     */
    private static final Executor AHEAD =
            task -> Thread.ofPlatform().daemon().name("mutation-ahead").start(task);

    /** What the writer's thread decided. */
    public sealed interface Decided<R> {
        /** The write is decided. */
        record Done<R>(WriteCommand.Decision<R> decision) implements Decided<R> {}

        /** The caller's thread must prepare the write again. */
        record Again<R>() implements Decided<R> {}
    }

    private final GraphStorage storage;
    private final CommitLog log;
    private final @Nullable WriteKey<R> key;
    private final RequestBudget budget;
    private final StagedBlobs blobs;
    private final long cameNanos = System.nanoTime();

    /**
     * @param log takes the write
     * @param key null for a write without one
     * @param blobs what the write brings
     */
    protected PreparedWrite(
            GraphStorage storage, CommitLog log, @Nullable WriteKey<R> key, RequestBudget budget, StagedBlobs blobs) {
        this.storage = storage;
        this.log = log;
        this.key = key;
        this.budget = budget;
        this.blobs = blobs;
    }

    /** A write that brings no blobs. */
    protected PreparedWrite(GraphStorage storage, CommitLog log, @Nullable WriteKey<R> key, RequestBudget budget) {
        this(storage, log, key, budget, StagedBlobs.NONE);
    }

    /** Does the work over the graph that the session shows. A refusal ends the write. */
    protected abstract P prepare(GraphSession session);

    /** Does the work over a later state. Either brings the earlier work there, or releases it and begins again. */
    protected P prepareAgain(GraphSession session, P before) {
        release(before);
        return prepare(session);
    }

    /** The answer to a write that turns out to need no event; null when it goes to the writer. */
    protected @Nullable R answered(P prepared) {
        return null;
    }

    /**
     * Decides over the graph that the session shows, as {@link WriteCommand#decide} does.
     *
     * @param last whether to do here what it takes, rather than to let the caller's thread prepare again
     */
    protected abstract Decided<R> decide(WriteSession session, P prepared, boolean last);

    /** Releases what was prepared before the request ends. Idempotent; called after the last use. */
    protected void release(P prepared) {}

    /** How long the write may wait for its turn beside the writes of other processes. */
    protected Duration patience() {
        return CommitLog.PATIENCE;
    }

    /** Prepares and writes; blocks the calling thread until the outcome is durable. */
    public final R run() {
        P prepared = null;
        boolean looked = !storage.isShared();
        try {
            for (int attempt = 0; ; attempt++) {
                R early;
                long seen;
                try (GraphSession session = storage.session()) {
                    seen = session.appliedOffset();
                    early = WriteKey.replayed(key, session, Budgets.nowMicros());
                    if (early == null) {
                        prepared = prepared == null ? prepare(session) : prepareAgain(session, prepared);
                    }
                }
                early = early == null ? answered(Objects.requireNonNull(prepared)) : early;
                if (early != null) {
                    if (looked || isNewest(seen)) {
                        return early;
                    }
                    looked = true;
                    continue;
                }
                P ahead = Objects.requireNonNull(prepared);
                boolean last = attempt >= ATTEMPTS_AHEAD;
                Optional<R> written =
                        budget.blocking(() -> CommitLog.await(submit(session -> decide(session, ahead, last))));
                if (written.isPresent()) {
                    return written.get();
                }
            }
        } finally {
            if (prepared != null) {
                release(prepared);
            }
        }
    }

    /** Whether a state has everything that was committed when the write came, by any process. */
    private boolean isNewest(long offset) {
        return budget.blocking(() -> CommitLog.await(storage.awaitTail(cameNanos))) <= offset;
    }

    /**
     * Lets the writer do all of the work, without anything prepared. If it gives the write back, a new thread prepares
     * it.
     *
     * @param here decides on the writer's thread
     */
    public final CompletableFuture<R> runOnWriter(Function<WriteSession, Decided<R>> here) {
        return budget.holdUntil(submit(here)
                .thenCompose(written -> written.map(CompletableFuture::completedFuture)
                        .orElseGet(() -> CompletableFuture.supplyAsync(this::run, AHEAD))));
    }

    /** The answer, or nothing when the writer has given the write back. */
    private CompletableFuture<Optional<R>> submit(Function<WriteSession, Decided<R>> decide) {
        return log.submit(
                session -> {
                    R first = WriteKey.replayed(key, session, session.nowMicros());
                    if (first != null) {
                        return new WriteCommand.Decision.Nothing<>(Optional.of(first));
                    }
                    return switch (decide.apply(session)) {
                        case Decided.Done<R>(WriteCommand.Decision<R> decision) -> decision.map(Optional::of);
                        case Decided.Again<R> ignored -> new WriteCommand.Decision.Nothing<>(Optional.empty());
                    };
                },
                blobs,
                patience().minusNanos(System.nanoTime() - cameNanos));
    }
}
