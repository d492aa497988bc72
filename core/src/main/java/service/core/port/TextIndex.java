package service.core.port;

import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import service.core.batch.ColumnOwner;

/**
 * What the indexes of texts and vectors know about one view. It proposes and the record decides: an answer never
 * depends on whether there is an index. Each method returns null when the view must be read directly instead, because
 * there is no index of the property, or because the view differs too much from what is indexed.
 *
 * <p>Belongs to the thread of its view, which closes it.
 */
public interface TextIndex extends AutoCloseable {
    /**
     * The search that a call is made for. It pays for work and for memory before it is allocated; each method but
     * {@link #release} may throw, which ends the call.
     */
    interface Payer extends ColumnOwner {
        /** Nobody counts: a comparison of an index with the records. */
        Payer NONE = new Payer() {
            @Override
            public void examined(int count) {}

            @Override
            public void bytes(int length) {}

            @Override
            public void charge(long bytes) {}

            @Override
            public void release(long bytes) {}

            @Override
            public void fills(int rows) {}
        };

        /** Counts texts that are analysed, and postings that are looked at. */
        void examined(int count);

        /** Counts a pass over bytes. */
        void bytes(int length);
    }

    /**
     * The collection of a property: the live entities of one type in the view whose property is not null.
     *
     * @param texts their number
     * @param length number of terms of all their texts
     * @param having for each term that was asked for the number of texts that have it
     */
    record Statistics(long texts, long length, long[] having) {}

    /**
     * Entities that an index proposes.
     *
     * @param ordinals ascending, each once; all that match are among them, and others may be
     * @param indexes names of the branches whose indexes were read, such as {@code main}
     * @param direct entities whose texts were read from records, because no index has them as the view does
     */
    record Proposal(int[] ordinals, List<String> indexes, int direct) {}

    /**
     * What {@code bm25} ranks by.
     *
     * @param terms distinct, in the order in which the score adds them
     * @param collection of all types of the query, with a number for each term
     */
    record Ranked(List<String> terms, Statistics collection) {}

    /** Accepts every ordinal. */
    IntPredicate ALL = ordinal -> true;

    /**
     * How much of a property the indexes know.
     *
     * @param indexes names of the branches whose indexes are read, such as {@code main}
     * @param direct entities of the type that are read from records, because no index has them as the view does
     */
    record Coverage(List<String> indexes, int direct) {}

    /** How a search of a property reads the view. */
    @Nullable
    Coverage coverage(int type, int property);

    /** Exact numbers about the collection of a property and terms. */
    @Nullable
    Statistics statistics(int type, int property, List<String> terms, Payer payer);

    /** The entities of a type whose property passes a filter, and maybe others. */
    @Nullable
    Proposal find(int type, int property, TextFilter filter, Payer payer);

    /**
     * The entities of a type that can be among the first so many by {@code bm25}, those with an equal score included.
     *
     * @param most how many rows are wanted; when fewer entities have a term, all of these are returned
     * @param among the ordinals of the entities that are ranked; {@link #ALL} for all
     */
    @Nullable
    Proposal best(int type, int property, Ranked by, int most, IntPredicate among, Payer payer);

    /** Whether {@link #nearest} may know a property of a type. */
    boolean hasNeighbors(int type, int property);

    /**
     * Entities of a type that are among the nearest to a vector, by a graph of neighbours: a nearer one may be missing.
     *
     * @param most how many rows are wanted; at least so many are returned, and those that no index has as the view does
     */
    @Nullable
    Proposal nearest(int type, int property, float[] sought, int most, Payer payer);

    @Override
    void close();
}
