package service.core.graph.branch;

import org.jspecify.annotations.Nullable;
import service.core.event.ChangeBlock;
import service.core.graph.request.MergeOutcome;
import service.core.port.Branch;
import service.core.value.Ulid;

/**
 * A merge as prepared outside of the writer. Closing it releases its changes before the request ends, for the next
 * attempt; it must come after the writer's last use.
 *
 * @param baseId the commit of the merge base
 * @param input the net changes of the source
 * @param merged null unless the outcome is a merge commit
 */
record PreparedMerge(Heads heads, MergeOutcome outcome, Ulid baseId, MergeInput input, MergeRun.@Nullable Merged merged)
        implements AutoCloseable {
    /**
     * The heads that were merged.
     *
     * @param sourceHead offset of the source's head commit
     * @param lastMerge last merge in the target's history
     */
    record Heads(Branch source, Branch target, long sourceHead, long lastMerge) {}

    /** What the target's head changes by. */
    ChangeBlock net() {
        return merged == null ? input.source() : merged.changes();
    }

    @Override
    public void close() {
        input.close();
        if (merged != null) {
            merged.changes().close();
        }
    }
}
