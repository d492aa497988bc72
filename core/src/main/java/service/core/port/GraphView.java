package service.core.port;

import com.google.errorprone.annotations.MustBeClosed;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.event.ChangeBlock;
import service.core.event.Image;
import service.core.event.ResolvedIds;
import service.core.schema.Catalog;
import service.core.value.Direction;
import service.core.value.PropertyType;
import service.core.value.RoundedVector;
import service.core.value.Value;

/**
 * One immutable state of the graph: the executor's only access to storage.
 *
 * <p>Entities are named by type identity and <em>ordinal</em>: dense per type, from 0, the same on all branches. An
 * ordinal never gets another entity, except by a rebuild, which needs a closed graph. Edges are entities like nodes;
 * every operation that takes a type takes an edge type as well.
 *
 * <p>A view belongs to the thread that uses it. Its cursors ({@link Scan}, {@link Expansion}) must be closed before the
 * view. Cost is proportional to the returned rows and the versions of those entities, never to the history of other
 * entities.
 */
public interface GraphView extends AutoCloseable {
    /** A stream of entities. */
    interface Scan extends AutoCloseable {
        /** Fills rows from 0 and returns their number; 0 at the end. Resets the column first. */
        int next(EntityColumn into);

        @Override
        void close();
    }

    /** A stream of neighbours. */
    interface Expansion extends AutoCloseable {
        /**
         * Fills the batch, in the order of the input rows; false at the end. Within an input row neighbours ascend, and
         * parallel edges are adjacent.
         */
        boolean next(ExpandBatch into);

        /** Skips the remaining neighbours of the input row that was returned last. */
        void skipRow();

        @Override
        void close();
    }

    /** The schema in force at this point. */
    Catalog catalog();

    ReadPoint point();

    /** The number of live entities of the type, or of edges of a lane that is not that of the first types: O(1). */
    long count(int type);

    /** An upper bound of all ordinals of the type ever assigned: the length of an array that is indexed by ordinal. */
    int ordinalBound(int type);

    /** The ordinal of the entity with that id, which need not be live in this view; −1 when there is none. */
    int ordinal(int type, String id);

    /** The ordinal of the entity with that id if it is live in this view, else −1. */
    int lookup(int type, String id);

    /**
     * Looks up one id and sets a row to the entity, with its record handle where the look-up has read the record.
     *
     * @return whether the entity is live in this view; otherwise the row is unchanged
     */
    default boolean lookup(int type, String id, EntityColumn into, int row) {
        int ordinal = lookup(type, id);
        if (ordinal < 0) {
            return false;
        }
        into.set(row, type, ordinal, EntityColumn.NO_RECORD);
        return true;
    }

    /**
     * Looks up many ids of a type: sets {@code ordinals[i]} for each {@code i < size} as {@link #lookup(int, String)}
     * does. Faster than one by one if the ids ascend, because neighbours are on the same pages.
     */
    default void lookup(int type, String[] ids, int size, int[] ordinals) {
        for (int i = 0; i < size; i++) {
            ordinals[i] = lookup(type, ids[i]);
        }
    }

    /**
     * Looks up the entities of a change set, and the ends of the edges that it inserts.
     *
     * @param changes without updates and deletions of edges
     * @param checkpoint called after a few thousand look-ups; may throw to end the call
     * @return null when the view has no faster way than {@link #lookup(int, String)}
     */
    default @Nullable ResolvedIds resolve(ChangeBlock changes, Runnable checkpoint) {
        return null;
    }

    /** The id of an ordinal, which need not be live in this view. */
    String id(int type, int ordinal);

    /** Fills a text column with the ids of the rows {@code [0, size)}; null rows stay null. */
    void ids(EntityColumn rows, int size, Column into);

    boolean isLive(int type, int ordinal);

    /** Live entities in ascending order of ordinals, with record handles. */
    @MustBeClosed
    Scan scan(int type);

    /**
     * Live entities in ascending order of ordinals, with record handles, for a reader that continues where an earlier
     * one has ended.
     *
     * @param from the ordinal to begin at, which need not be that of a live entity
     */
    @MustBeClosed
    Scan scan(int type, int from);

    /**
     * Live entities whose indexed values are in the range, ordered by value, then by ordinal. Texts with an equal
     * beginning that is longer than a key holds (400 bytes, less when an index has several members) come in any order
     * among themselves.
     */
    @MustBeClosed
    Scan seek(IndexRange range);

    /**
     * The neighbours of each row {@code [0, size)} of the input along the edges of one lane.
     *
     * @param lane identity of a {@link service.core.schema.Lane}: that of an edge type with one type at each end
     * @param nodes rows of the node type at the near end; null rows and rows of other types have no neighbours
     */
    @MustBeClosed
    Expansion expand(int lane, Direction direction, EntityColumn nodes, int size);

    /**
     * Like {@link #expand}, but of the neighbours of a row only the node in the same row of {@code ends} is wanted. A
     * view may give other neighbours as well, when it has no faster way.
     *
     * @param ends rows of any type
     */
    @MustBeClosed
    default Expansion expandTo(int lane, Direction direction, EntityColumn nodes, EntityColumn ends, int size) {
        return expand(lane, direction, nodes, size);
    }

    /**
     * Counts the neighbours of the rows {@code [0, size)} without enumerating them, if the view can. An element becomes
     * −1 when the view must enumerate the neighbours of that row.
     *
     * @param distinct whether a neighbour along several edges counts once
     * @return false when the view can count none; then {@code into} is not written
     */
    default boolean degrees(int lane, Direction direction, boolean distinct, EntityColumn nodes, int size, int[] into) {
        return false;
    }

    /** The neighbours of nodes as runs of one array. Valid until its view is closed. */
    interface Runs {
        /** Neighbours, ascending within each run; a neighbour that several edges reach occurs once for each edge. */
        int[] nodes();

        /** Where the run of a node begins; −1 when it must be read by {@link #expand}. */
        int start(int node);

        /** The end of a run that {@link #start} has found. */
        int end(int node);
    }

    /**
     * The neighbours of all nodes along one lane, if the view has them in memory.
     *
     * @param rows the number of nodes that will be asked for
     */
    default @Nullable Runs runs(int lane, Direction direction, int rows) {
        return null;
    }

    /**
     * Sets the source and destination nodes of the edges in rows {@code [0, size)}. Resets both columns first; the rows
     * of null edges are not set.
     */
    void endpoints(EntityColumn edges, int size, EntityColumn sources, EntityColumn destinations);

    /**
     * Reads one property of the rows {@code [0, size)} into the column that {@link #columnFor} returns for its type.
     * All rows are of the same type; rows that are null or lack the property become null. Looks up missing record
     * handles and stores them in {@code rows}.
     */
    void read(int property, EntityColumn rows, int size, Column into);

    /**
     * Reads the Vector property of one row into an array of its dimension. Looks up a missing record handle and stores
     * it in {@code rows}.
     *
     * @param row not null
     * @return whether there is a value; otherwise the array is not written
     */
    default boolean vector(int property, EntityColumn rows, int row, float[] into) {
        EntityColumn one = new EntityColumn();
        one.set(0, rows.types[row], rows.ordinals[row], rows.records[row]);
        Column column = columnFor(new PropertyType.VectorOf(into.length));
        read(property, one, 1, column);
        rows.records[row] = one.records[0];
        if (column.value(0) instanceof Value.Vector(float[] items)) {
            System.arraycopy(items, 0, into, 0, into.length);
            return true;
        }
        return false;
    }

    /** The vectors that one property has in memory, by the ordinals of their entities. */
    interface Vectors {
        /** Whether the vector of a live entity is known here; otherwise {@link GraphView#vector} reads it. */
        boolean knows(int ordinal);

        /** The vector of a known entity, which callers do not change; null when it has none. */
        float @Nullable [] items(int ordinal);

        /** The same, rounded; null when it has none. */
        @Nullable
        RoundedVector rounded(int ordinal);

        /** The sum of the squares of the components that {@link #items} has, in 64-bit arithmetic. */
        double square(int ordinal);
    }

    /**
     * The vectors of a property, if the view has them in memory. Valid until its view is closed.
     *
     * @param rows entities that will be asked for, mostly of the type
     */
    default @Nullable Vectors vectors(int type, int property, EntityColumn rows, int size) {
        return null;
    }

    /** The whole image of a live entity. */
    Image image(int type, int ordinal);

    /** The heap bytes that {@link #image} takes, about. */
    long imageBytes(int type, int ordinal);

    /** An estimate for {@code EXPLAIN} and the planner: the number of distinct values of an index; 0 when unknown. */
    long distinctEstimate(int index);

    /** About the number of different values of a property, for the planner; 0 unless they are in memory. */
    default long distinctValues(int type, int property) {
        return 0;
    }

    /** What indexes of texts know about this view; null when it has none. The same object at each call. */
    default @Nullable TextIndex texts() {
        return null;
    }

    /** What this view has read; always zero when it has no structures in memory. */
    default ReadCounts reads() {
        return new ReadCounts();
    }

    /** Reads the tables alone from here on, without blocks and indexes of texts, for comparisons. */
    default void leaveBlocks() {}

    @Override
    void close();

    /** The class of column for values of the type. */
    static Column columnFor(PropertyType type) {
        return ColumnChoice.of(type);
    }

    /**
     * Ordinals of the live edges of a type at a node, ascending. All of them are in memory at once.
     *
     * @param nodeType of the node, which need not be one of those at that end: then there are none
     */
    int[] edgesOf(int edgeType, Direction direction, int nodeType, int node);

    /**
     * Live entities in ascending order of their ids (by code point, which is also the order of UTF-8 bytes), for an
     * export.
     *
     * @param after begin after this id, which need not exist; null for the first
     */
    @MustBeClosed
    Scan scanById(int type, @Nullable String after);

    /** The image of the entity with that id; null when it is not live. */
    default @Nullable Image find(int type, String id) {
        int ordinal = lookup(type, id);
        return ordinal < 0 ? null : image(type, ordinal);
    }
}
