package service.projection.search.index;

import java.time.Duration;
import service.core.budget.MemoryPool;

/**
 * What the search indexes of a graph may take.
 *
 * @param refresh how long a change may stay out of them on an idle server
 * @param diskReserveBytes of the disk that they leave free
 * @param memory what searches of all graphs of the process learned of their states
 * @param branches of which indexes are kept
 * @param vectorsMin types with more entities get a graph of neighbours of their vectors
 */
public record SearchOptions(
        Duration refresh, long diskReserveBytes, SearchMemory memory, Branches branches, int vectorsMin) {
    /** The folder of the indexes in that of a graph. */
    public static final String DIRECTORY = "search";

    public static final long DISK_RESERVE_BYTES = 1L << 30;
    public static final long MEMORY_BYTES_MAX = 64L << 20;

    /** As many as {@code search_exact_max} compares by default. */
    private static final int VECTORS_MIN = 100_000;

    /** For a graph that is opened outside of a process with a pool. */
    public static final SearchOptions DEFAULT =
            of(Duration.ofSeconds(1), DISK_RESERVE_BYTES, MEMORY_BYTES_MAX, Branches.DEFAULT);

    /**
     * Which branches have an own index of what they have written. When there would be more, those go that were not
     * searched for longest.
     *
     * @param entities a branch that has changed more of them gets one by a search
     * @param indexesMax of all graphs of the process
     * @param bytesMax on the disk, of all graphs of the process
     */
    public record Branches(int entities, int indexesMax, long bytesMax) {
        public static final Branches DEFAULT = new Branches(10_000, 64, 8L << 30);
    }

    /** Options with a pool for them alone, of twice what searches keep. */
    public static SearchOptions of(Duration refresh, long diskReserveBytes, long memoryBytesMax, Branches branches) {
        return new SearchOptions(
                refresh,
                diskReserveBytes,
                new SearchMemory(new MemoryPool(2 * memoryBytesMax), memoryBytesMax),
                branches,
                VECTORS_MIN);
    }

    /** The same options with a graph of neighbours for types of more entities than this. */
    public SearchOptions withVectorsMin(int entities) {
        return new SearchOptions(refresh, diskReserveBytes, memory, branches, entities);
    }
}
