package service.core.graph.request;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a mutation.
 *
 * @param commit null when nothing changed
 * @param operation the effect of a branch statement; null for other mutations
 * @param replayed whether this repeats the first answer to the same write
 */
public record MutationResult(
        String branch,
        String queryName,
        long affectedNodes,
        long affectedEdges,
        @Nullable String actor,
        @Nullable CommitRecord commit,
        @Nullable BranchOperation operation,
        boolean replayed)
        implements Receipt {}
