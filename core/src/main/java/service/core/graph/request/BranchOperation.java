package service.core.graph.request;

import org.jspecify.annotations.Nullable;

/**
 * What a branch statement did.
 *
 * @param kind {@code created}, {@code deleted} or {@code merged}
 * @param name the branch made or deleted; null for a merge
 * @param source the branch merged; null otherwise
 * @param target where it was merged into; null otherwise
 * @param outcome what the merge came to; null otherwise
 */
public record BranchOperation(
        String kind,
        @Nullable String name,
        @Nullable String source,
        @Nullable String target,
        @Nullable MergeOutcome outcome) {}
