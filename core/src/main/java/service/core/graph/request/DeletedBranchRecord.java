package service.core.graph.request;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.Stamp;

/**
 * A deleted branch as a caller sees it.
 *
 * @param branch as it was when it was deleted
 * @param deletion when it was deleted, by whom and why
 */
public record DeletedBranchRecord(BranchRecord branch, Stamp deletion) {
    /**
     * A page of deleted branches.
     *
     * @param nextBefore the number below which the next page begins; null at the end
     */
    public record Page(
            List<DeletedBranchRecord> branches, @Nullable Integer nextBefore) {}
}
