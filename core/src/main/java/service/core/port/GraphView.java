package service.core.port;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.event.Image;
import service.core.schema.Catalog;
import service.core.value.Direction;
import service.core.value.PropertyType;

/**
 * One unchanging state of the graph. All the executor knows of storage.
 *
 * <p>Entities are named by type identity and <em>ordinal</em>: dense per type, from 0, never reused, the same on all
 * branches. Edges are entities like nodes; every operation that takes a type takes an edge type as well.
 *
 * <p>A view belongs to the thread that uses it; its cursors ({@link Scan}, {@link Expansion}) must be closed, and
 * before it. Cost is proportional to what is returned, plus the versions of those members, never to the history of
 * others.
 */
public interface GraphView extends AutoCloseable {
    /** A stream of entities. */
    interface Scan extends AutoCloseable {
        /** Fills rows from 0 and returns how many; 0 at the end. Resets the column first. */
        int next(EntityColumn into);

        @Override
        void close();
    }

    /** A stream of neighbours. */
    interface Expansion extends AutoCloseable {
        /**
         * Fills the batch, in the order of the input rows; false at the end. Within an input row neighbours ascend, and
         * parallel edges stand next to each other.
         */
        boolean next(ExpandBatch into);

        /** Leaves out what is still to come of the input row that was given last. */
        void skipRow();

        @Override
        void close();
    }

    /** The schema in force at this point. */
    Catalog catalog();

    ReadPoint point();

    /** Live entities of the type: O(1). */
    long count(int type);

    /** An upper bound of all ordinals of the type ever assigned: what an array by ordinal must hold. */
    int ordinalBound(int type);

    /** The ordinal of the entity of that id if it is live in this view, else −1. */
    int lookup(int type, String id);

    /** The id of an ordinal, live here or not. */
    String id(int type, int ordinal);

    /** Fills a text column with the ids of the rows {@code [0, size)}; null rows stay null. */
    void ids(EntityColumn rows, int size, Column into);

    boolean isLive(int type, int ordinal);

    /** Live entities in ascending order of ordinals, with record handles. */
    @MustBeClosed
    Scan scan(int type);

    /**
     * Live entities whose indexed values lie in the range, in the order of the values, then of the ordinals. Texts
     * longer than a key holds (400 bytes, less where an index has several members) that begin alike come in any order
     * among themselves.
     */
    @MustBeClosed
    Scan seek(IndexRange range);

    /**
     * The neighbours of each row {@code [0, size)} of the input along one edge type.
     *
     * @param nodes rows of the node type at the near end; null rows and rows of other types have no neighbours
     */
    @MustBeClosed
    Expansion expand(int edgeType, Direction direction, EntityColumn nodes, int size);

    /** Source and destination ordinals of the edges in rows {@code [0, size)}; null rows are left alone. */
    void endpoints(EntityColumn edges, int size, int[] sources, int[] destinations);

    /**
     * Reads one property of the rows {@code [0, size)} into the column that {@link #columnFor} gives for its type. All
     * rows are of the same type; rows that are null or lack the property become null. Finds missing record handles and
     * keeps them in {@code rows}.
     */
    void read(int property, EntityColumn rows, int size, Column into);

    /** The whole image of a live entity. */
    Image image(int type, int ordinal);

    /**
     * What {@code EXPLAIN} and the planner may assume about an index: the number of distinct values, estimated; 0 when
     * unknown.
     */
    long distinctEstimate(int index);

    @Override
    void close();

    /** The class of column that holds values of the type. */
    static Column columnFor(PropertyType type) {
        return ColumnChoice.of(type);
    }

    /** Names of the given entity's live edges of a type, for callers that walk few of them: ordinals, ascending. */
    List<Integer> edgesOf(int edgeType, Direction direction, int node);

    /**
     * Live entities in ascending order of their ids (by code point, which is also the order of UTF-8 bytes): what an
     * export walks.
     *
     * @param after begin behind this id, whether or not it is there; null for the first
     */
    @MustBeClosed
    Scan scanById(int type, @Nullable String after);

    /** The image of the entity of that id, or null when it is not live. */
    default @Nullable Image find(int type, String id) {
        int ordinal = lookup(type, id);
        return ordinal < 0 ? null : image(type, ordinal);
    }
}
