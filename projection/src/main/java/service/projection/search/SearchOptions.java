package service.projection.search;

import java.time.Duration;

/**
 * What the search indexes of a graph may take.
 *
 * @param refresh how long a change may stay out of them on an idle server
 * @param diskReserveBytes of the disk that they leave free
 * @param memoryBytesMax heap in which searches of all graphs of the process keep what they learned of their states
 * @param branches of which indexes are kept
 */
public record SearchOptions(Duration refresh, long diskReserveBytes, long memoryBytesMax, Branches branches) {
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

    public SearchOptions(Duration refresh, long diskReserveBytes, long memoryBytesMax) {
        this(refresh, diskReserveBytes, memoryBytesMax, Branches.DEFAULT);
    }

    /** The folder of the indexes in that of a graph. */
    public static final String DIRECTORY = "search";

    public static final SearchOptions DEFAULT = new SearchOptions(Duration.ofSeconds(1), 1L << 30, 64L << 20);
}
