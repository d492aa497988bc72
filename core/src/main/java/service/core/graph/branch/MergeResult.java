package service.core.graph.branch;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeCounts;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.MergeOutcome;
import service.core.graph.request.Receipt;
import service.core.value.Ulid;

/**
 * The answer to a merge.
 *
 * @param commit the merge commit, or the head that the target was moved to; null when nothing was written
 * @param counts the entities in which the target's head changed
 * @param deletion of the source; null when it was not asked for
 * @param preview the outcome of a dry run; null otherwise
 * @param replayed whether this repeats the first answer to the same write
 */
public record MergeResult(
        Branches branches,
        MergeOutcome outcome,
        @Nullable String actor,
        @Nullable CommitRecord commit,
        ChangeCounts counts,
        @Nullable SourceDeletion deletion,
        @Nullable Preview preview,
        boolean replayed)
        implements Receipt {
    /** The same answer after the deletion of the source, or its refusal. */
    MergeResult deleted(@Nullable String refusal) {
        return new MergeResult(
                branches, outcome, actor, commit, counts, new SourceDeletion(refusal), preview, replayed);
    }

    /** The names of the branches of the merge. */
    public record Branches(String source, String target) {}

    /**
     * Whether the source was deleted after the merge.
     *
     * @param refusal why it was not; null when it was
     */
    public record SourceDeletion(@Nullable String refusal) {}

    /**
     * The changes that a merge would make.
     *
     * @param changes number of entities that it would change on the target
     * @param conflicts the first of its conflicts
     * @param conflictCount number of all its conflicts
     * @param resolved the resolutions of the request that it would use
     * @param base the merge base
     */
    public record Preview(
            int changes, List<MergeConflict> conflicts, int conflictCount, Resolved resolved, Ulid base) {}

    /** Numbers of the used resolutions that take the state of one side; those that give a value are not counted. */
    public record Resolved(int source, int target) {
        static final Resolved NONE = new Resolved(0, 0);
    }
}
