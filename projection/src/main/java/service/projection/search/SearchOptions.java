package service.projection.search;

import java.time.Duration;

/**
 * What the search indexes of a graph may take.
 *
 * @param refresh how long a change may stay out of them on an idle server
 * @param diskReserveBytes of the disk that they leave free
 * @param memoryBytesMax heap in which searches of all graphs of the process keep what they learned of their states
 */
public record SearchOptions(Duration refresh, long diskReserveBytes, long memoryBytesMax) {
    /** The folder of the indexes in that of a graph. */
    public static final String DIRECTORY = "search";

    public static final SearchOptions DEFAULT = new SearchOptions(Duration.ofSeconds(1), 1L << 30, 64L << 20);
}
