package service.core.graph.request;

import org.jspecify.annotations.Nullable;

/**
 * The effect of a branch statement.
 *
 * @param kind {@code created}, {@code deleted} or {@code merged}
 * @param name the branch created or deleted; null for a merge
 * @param source the merged branch; null otherwise
 * @param target the branch that it was merged into; null otherwise
 * @param outcome the outcome of the merge; null otherwise
 */
public record BranchOperation(
        String kind,
        @Nullable String name,
        @Nullable String source,
        @Nullable String target,
        @Nullable MergeOutcome outcome) {}
