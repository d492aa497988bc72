package service.projection.query.path;

import org.jspecify.annotations.Nullable;
import service.projection.query.operator.Cutoff;

/** Takes the paths that a search finds. */
interface PathSink {
    /** Whether the nodes and edges of paths are read; else searches make no {@link Path}. */
    boolean readsPath();

    /** Whether the costs of paths are read. */
    boolean readsCost();

    /**
     * Takes a path, or several of the same length and cost.
     *
     * @param far the end that the search does not begin with
     * @param path null unless {@link #readsPath}
     * @param times the number of paths
     * @return false when no more are needed
     */
    boolean take(long far, int length, double cost, @Nullable Path path, long times);

    /** What is known of the greatest cost that is needed. */
    Cutoff cutoff();

    /** Whether the search may end a path at the node. */
    boolean isEnd(int type);
}
