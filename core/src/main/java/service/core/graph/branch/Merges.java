package service.core.graph.branch;

import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.ServiceException;
import service.core.graph.check.GraphWriter;
import service.core.graph.request.RequestDigest;
import service.core.graph.request.Settings;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.policy.Action;
import service.core.port.Branch;
import service.core.port.CommitLog;

/** Merges one branch into another ({@code docs/branches.md}). Each merge is a {@link MergeWrite}. */
public final class Merges {
    private final GraphWriter writer;
    private final Branches branches;
    private final boolean fastForwards;

    /** @param fastForwards whether a merge may move its target without a commit */
    public Merges(GraphWriter writer, Branches branches, boolean fastForwards) {
        this.writer = writer;
        this.branches = branches;
        this.fastForwards = fastForwards;
    }

    /** Merges, on the calling thread; blocks until the outcome is durable. */
    public MergeResult run(WriteTerms terms, MergeRequest merge, Settings settings, RequestBudget budget) {
        return run(terms, merge, settings, budget, null);
    }

    /**
     * Merges for a statement, with its key and receipt.
     *
     * @param statement null for a request that is not a statement
     */
    MergeResult run(
            WriteTerms terms,
            MergeRequest merge,
            Settings settings,
            RequestBudget budget,
            BranchStatements.@Nullable Statement statement) {
        if (merge.source().equals(merge.target())) {
            throw ServiceException.badRequest(
                    "branch `" + merge.source() + "` cannot be merged into itself; name another target");
        }
        MergeWrite write = new MergeWrite(
                writer,
                new MergeWrite.Request(
                        terms,
                        fastForwards ? merge : merge.withoutFastForward(),
                        Targets.condition(terms.condition()),
                        merge.dryRun() ? null : key(terms, merge, settings, statement),
                        settings.mergesProperties(),
                        budget,
                        TimeBudget.start("the merge", settings, budget)));
        MergeResult result = write.run();
        return merge.deleteSource() && !merge.dryRun() && !result.replayed()
                ? deleteSource(terms, write.source(), result)
                : result;
    }

    private static @Nullable WriteKey<MergeResult> key(
            WriteTerms terms, MergeRequest merge, Settings settings, BranchStatements.@Nullable Statement statement) {
        if (statement != null) {
            return statement.key() == null
                    ? null
                    : statement.key().with(new MergeReceipts(merge.deleteSource(), statement.branch()));
        }
        RequestDigest digest = new RequestDigest("merge")
                .add(merge.source())
                .add(merge.target())
                .add(Boolean.toString(merge.deleteSource()))
                .add(Boolean.toString(settings.mergesProperties()))
                .add(terms.condition());
        merge.resolutions().forEach(resolution -> digest.add(resolution.text()));
        digest.add(terms.options().note());
        if (merge.form() != MergeRequest.Form.ANY) {
            digest.add(merge.form().name());
        }
        return WriteKey.of(terms, digest, new MergeReceipts(merge.deleteSource(), null));
    }

    /** Deletes the source after a merge that was written; a refused deletion does not undo the merge. */
    private MergeResult deleteSource(WriteTerms terms, Branch source, MergeResult result) {
        String refusal = terms.caller().may(Action.BRANCH_DELETE, source.name())
                ? null
                : "you may not delete branch `" + source.name() + "`";
        if (refusal == null) {
            try {
                CommitLog.await(branches.deleteMerged(terms.caller(), source));
            } catch (ServiceException e) {
                refusal = e.getMessage();
            }
        }
        return result.deleted(refusal);
    }
}
