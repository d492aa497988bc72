package service.core.graph.request;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a mutation.
 *
 * @param commit null when nothing changed
 * @param operation what a branch statement did; null for other mutations
 * @param replayed whether it is the first answer to a write that was done before
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
