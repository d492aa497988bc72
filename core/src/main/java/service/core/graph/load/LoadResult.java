package service.core.graph.load;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.Receipt;

/**
 * The answer to a load.
 *
 * @param commit null when nothing changed
 * @param replayed whether it is the first answer to a load that was done before
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
        @Nullable CommitRecord commit,
        boolean replayed)
        implements Receipt {
    /** How many entities of one type the batch held. */
    public record TypeLoad(String name, long entitiesLoaded) {}
}
