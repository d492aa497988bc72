package service.core.graph.request;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a branch statement.
 *
 * @param kind {@code created}, {@code deleted}, {@code merged}, {@code reverted}, {@code restored} or {@code picked}
 * @param name the branch created or deleted; null for a merge
 * @param source the merged branch; null otherwise
 * @param target the branch that it was merged into; null otherwise
 * @param outcome the outcome of the merge; null otherwise
 * @param leftOut of a revert, a restore or a pick; null for others
 */
public record BranchOperation(
        String kind,
        @Nullable String name,
        @Nullable String source,
        @Nullable String target,
        @Nullable MergeOutcome outcome,
        @Nullable List<LeftOut> leftOut)
        implements MutationEffect {
    /** An operation that is no revert, restore or pick. */
    public BranchOperation(
            String kind,
            @Nullable String name,
            @Nullable String source,
            @Nullable String target,
            @Nullable MergeOutcome outcome) {
        this(kind, name, source, target, outcome, null);
    }
}
