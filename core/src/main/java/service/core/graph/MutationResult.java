package service.core.graph;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a mutation.
 *
 * @param commit null when nothing changed
 */
public record MutationResult(
        String branch,
        String queryName,
        long affectedNodes,
        long affectedEdges,
        @Nullable String actor,
        @Nullable CommitRecord commit) {}
