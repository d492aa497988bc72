package service.core.graph.branch;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.graph.check.GraphWriter;
import service.core.graph.request.RequestDigest;
import service.core.graph.request.Settings;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.UnreadBranch;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.port.CommitLog;

/**
 * Makes commits of other ones: reverts, restores and picks ({@code docs/branches.md}). Each is an {@link UndoWrite}.
 */
public final class Undo {
    private final GraphWriter writer;

    public Undo(GraphWriter writer) {
        this.writer = writer;
    }

    /** Writes, on the calling thread; blocks until the outcome is durable. */
    public UndoResult run(WriteTerms terms, UndoRequest undo, Settings settings, RequestBudget budget) {
        return run(terms, undo, settings, budget, undo.dryRun() ? null : key(terms, undo));
    }

    private static @Nullable WriteKey<UndoResult> key(WriteTerms terms, UndoRequest undo) {
        RequestDigest digest = new RequestDigest(undo.kind().wireName())
                .add(undo.ref())
                .add(undo.branch())
                .add(Boolean.toString(undo.byProperty()))
                .add(terms.condition());
        undo.resolutions().forEach(resolution -> digest.add(resolution.text()));
        digest.add(terms.options().note());
        return WriteKey.of(terms, digest, new UndoReceipts(null, "", ""));
    }

    /**
     * The same with the key of a statement.
     *
     * @param key null for a write without one
     */
    UndoResult run(
            WriteTerms terms,
            UndoRequest undo,
            Settings settings,
            RequestBudget budget,
            @Nullable WriteKey<UndoResult> key) {
        UndoWrite write = new UndoWrite(
                writer,
                new UndoWrite.Request(
                        terms,
                        undo,
                        Targets.condition(terms.condition()),
                        key,
                        budget,
                        TimeBudget.start("the " + undo.kind().wireName(), settings, budget)));
        return CommitLog.await(UnreadBranch.write(
                terms.caller(), undo.branch(), () -> CompletableFuture.completedFuture(write.run())));
    }
}
