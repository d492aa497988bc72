package service.core.graph.branch;

import java.util.List;
import service.core.graph.request.LeftOut;
import service.core.graph.request.Receipt;

/**
 * The answer to a revert, a restore or a pick.
 *
 * @param merged as of a merge; its source is the id of the commit
 * @param leftOut what the schema of the branch does not have any more
 */
public record UndoResult(MergeResult merged, List<LeftOut> leftOut) implements Receipt {
    public UndoResult {
        leftOut = List.copyOf(leftOut);
    }

    @Override
    public boolean replayed() {
        return merged.replayed();
    }
}
