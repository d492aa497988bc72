package service.projection.search;

import java.util.List;
import service.core.gq.plan.SearchedBy;

/** The numbers of collections in one view, which {@code bm25} needs. One thread. */
public interface TextStatistics {
    /**
     * The numbers of a collection.
     *
     * @param texts of the collection: entities whose property is not null
     * @param length the sum of the numbers of their terms
     * @param containing the number of texts with each term that was asked for
     */
    record Counts(long texts, long length, long[] containing) {}

    /** Says that these terms will be asked for, so that one pass over the texts counts them all. */
    void announce(SearchedBy by, List<String> terms);

    /** The numbers of a collection, for terms. */
    Counts of(SearchedBy by, List<String> terms);
}
