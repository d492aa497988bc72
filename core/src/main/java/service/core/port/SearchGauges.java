package service.core.port;

import java.util.List;
import java.util.Map;

/**
 * What the search indexes of a graph have and do, for metrics.
 *
 * @param lagCommits events that the index of {@code main} does not show yet
 * @param lagSeconds since when it does not; 0 when it shows all
 * @param indexes that of {@code main}, and those of branches together
 * @param workSeconds time that indexing took since the start, by what was done
 */
public record SearchGauges(long lagCommits, double lagSeconds, List<Index> indexes, Map<String, Double> workSeconds) {
    /** A graph without indexes. */
    public static final SearchGauges NONE = new SearchGauges(0, 0, List.of(), Map.of());

    /**
     * An index.
     *
     * @param name {@code main} or {@code branches}
     * @param bytes on disk
     * @param deleted documents that are replaced or deleted, and not merged away yet
     */
    public record Index(String name, long bytes, long documents, long deleted) {}

    /**
     * Queries by an operator of searches, since the start of the process.
     *
     * @param exactness {@code exact} or {@code approximate}
     */
    public record Ran(String operator, String exactness, long queries, double seconds) {}

    /**
     * What all searches of a process did.
     *
     * @param direct entities that searches read from records, because no index has them as the view does
     */
    public record Totals(List<Ran> ran, long direct) {}
}
