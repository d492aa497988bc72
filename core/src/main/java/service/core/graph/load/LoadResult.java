package service.core.graph.load;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.Receipt;

/**
 * The answer to a load.
 *
 * @param edgesWithoutId number of edges of the batch without an id, each of which the load inserted
 * @param commit null when nothing changed
 * @param replayed whether this repeats the first answer to the same write
 */
public record LoadResult(
        Target target,
        LoadMode mode,
        List<TypeLoad> nodes,
        List<TypeLoad> edges,
        long edgesWithoutId,
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

    /** Number of entities that the load inserted. */
    public long inserted() {
        return commit == null
                ? 0
                : (long) commit.counts().nodesInserted() + commit.counts().edgesInserted();
    }

    /** Number of entities that the load updated. */
    public long updated() {
        return commit == null
                ? 0
                : (long) commit.counts().nodesUpdated() + commit.counts().edgesUpdated();
    }

    /** Number of entities that the load deleted, because mode <i>overwrite</i> did not find them in the batch. */
    public long deleted() {
        return commit == null
                ? 0
                : (long) commit.counts().nodesDeleted() + commit.counts().edgesDeleted();
    }

    /** Number of entities of the batch that the branch held already, as the batch has them. */
    public long unchanged() {
        return totalEntities() - inserted() - updated();
    }

    /** The number of entities of one type in the batch. */
    public record TypeLoad(String name, long entitiesLoaded) {}
}
