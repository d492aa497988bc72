package service.core.graph;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a load.
 *
 * @param commit null when nothing changed
 */
public record LoadResult(
        String branch,
        @Nullable String baseBranch,
        boolean branchCreated,
        LoadMode mode,
        List<TypeLoad> nodes,
        List<TypeLoad> edges,
        long totalEntities,
        @Nullable String actor,
        @Nullable CommitRecord commit) {
    /** How many entities of one type the batch held. */
    public record TypeLoad(String name, long entitiesLoaded) {}
}
