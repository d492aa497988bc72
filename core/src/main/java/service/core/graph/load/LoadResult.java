package service.core.graph.load;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.Receipt;

/**
 * The answer to a load.
 *
 * @param commit null when nothing changed
 * @param replayed whether this repeats the first answer to the same write
 */
public record LoadResult(
        Target target,
        LoadMode mode,
        List<TypeLoad> nodes,
        List<TypeLoad> edges,
        @Nullable String actor,
        @Nullable CommitRecord commit,
        boolean replayed)
        implements Receipt {
    /**
     * The branch that was loaded.
     *
     * @param base the branch that it was to be made from if it did not exist, or null
     * @param created whether the load made it
     */
    public record Target(String branch, @Nullable String base, boolean created) {}

    /** Number of entities that the batch held. */
    public long totalEntities() {
        return Stream.concat(nodes.stream(), edges.stream())
                .mapToLong(TypeLoad::entitiesLoaded)
                .sum();
    }

    /** The number of entities of one type in the batch. */
    public record TypeLoad(String name, long entitiesLoaded) {}
}
