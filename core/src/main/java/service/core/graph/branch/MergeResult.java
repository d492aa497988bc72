package service.core.graph.branch;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeCounts;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.MergeOutcome;
import service.core.graph.request.Receipt;

/**
 * The answer to a merge.
 *
 * @param commit the merge commit, or the head that the target was moved to; null when nothing was written
 * @param counts the entities in which the target's head changed
 * @param branchDeleted whether the source was deleted; null when that was not asked for
 * @param branchDeleteError why it was not
 * @param preview what a dry run found; null otherwise
 * @param replayed whether it is the first answer to a merge that was done before
 */
public record MergeResult(
        String source,
        String target,
        MergeOutcome outcome,
        @Nullable String actor,
        @Nullable CommitRecord commit,
        ChangeCounts counts,
        @Nullable Boolean branchDeleted,
        @Nullable String branchDeleteError,
        @Nullable Preview preview,
        boolean replayed)
        implements Receipt {
    /**
     * What a merge would do.
     *
     * @param changes entities that it would change on the target
     * @param conflicts what stands against it, the first of them
     * @param conflictCount how many there are
     */
    public record Preview(int changes, List<MergeConflict> conflicts, int conflictCount) {}
}
