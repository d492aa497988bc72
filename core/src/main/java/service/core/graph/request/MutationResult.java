package service.core.graph.request;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a mutation.
 *
 * @param commit null when nothing changed
 * @param effect the effect of a branch statement, or the rows that the mutation returns; else null
 * @param replayed whether this repeats the first answer to the same write
 */
public record MutationResult(
        String branch,
        String queryName,
        long affectedNodes,
        long affectedEdges,
        @Nullable String actor,
        @Nullable CommitRecord commit,
        @Nullable MutationEffect effect,
        boolean replayed)
        implements Receipt {
    /** The effect of a branch statement; null for other mutations. */
    public @Nullable BranchOperation operation() {
        return effect instanceof BranchOperation operation ? operation : null;
    }

    /** The rows that a mutation returns; null where it returns none. */
    public @Nullable AnsweredRows answer() {
        return effect instanceof AnsweredRows answer ? answer : null;
    }
}
