package service.core.graph.branch;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.Receipt;
import service.core.value.EntityKind;

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

    /**
     * What was not brought to the branch.
     *
     * @param typeName the name that the type had then
     * @param property null for whole entities of a type
     * @param count of entities
     */
    public record LeftOut(
            EntityKind kind, String typeName, @Nullable String property, long count) {}
}
