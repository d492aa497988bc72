package service.projection.resident;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.event.ChangeBlock;
import service.core.event.Image;
import service.core.event.ResolvedIds;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.port.ReadCounts;
import service.core.port.ReadPoint;
import service.core.port.TextIndex;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.Direction;
import service.core.value.PropertyType;
import service.projection.view.HopRows;

/**
 * A view that asks blocks first. It finds the block at each call, so one view may read a block, its successor and the
 * tables; each gives the same answer. Belongs to one thread.
 */
final class ResidentView implements GraphView {
    /** Reads of fewer rows go to the tables when their records are found already. */
    private static final int ROWS_MIN = 16;

    private final GraphView tables;
    private final BlockSource blocks;
    private final Catalog catalog;
    private final EntityColumn rest = new EntityColumn();
    private final BitSet recordTypes = new BitSet();
    private final ReadCounts reads = new ReadCounts();

    /** Whether blocks are not read any more. */
    private boolean left;

    /** @param tables a view of the same point without blocks, which {@link #close} closes */
    @MustBeClosed
    ResidentView(GraphView tables, BlockSource blocks) {
        this.tables = tables;
        this.blocks = blocks;
        this.catalog = tables.catalog();
    }

    /** Whether a property of the type was read from the tables, so that a scan should give handles of records. */
    boolean readsRecords(int type) {
        return recordTypes.get(type);
    }

    /** A scan of the tables from an ordinal on. */
    @MustBeClosed
    Scan tableScan(int type, int from) {
        return blocks.tableScan(type, from);
    }

    void hit(Kept kept, int rows) {
        reads.fromBlocks += rows;
        blocks.hit(kept, rows);
    }

    private @Nullable Kept find(Part.Kind kind, int type, int property) {
        return left ? null : blocks.find(kind, type, property);
    }

    /** The block of neighbours that answers, with edges if they are wanted; null when there is none. */
    @Nullable
    Kept findHops(int lane, Direction direction, boolean withEdges) {
        return left ? null : blocks.findHops(kind(direction), lane, withEdges);
    }

    GraphView tables() {
        return tables;
    }

    /** Counts rows that the tables answer. */
    void missed(Part.Kind kind, int type, int property, int entityType, int rows) {
        reads.fromTables += rows;
        if (!left) {
            blocks.missed(kind, type, property, entityType, rows);
        }
    }

    /** Counts rows whose neighbours the tables answer. */
    void missedHops(int lane, Direction direction, boolean withEdges, int rows) {
        reads.fromTables += rows;
        if (!left) {
            blocks.missedHops(kind(direction), lane, nearType(lane, direction), withEdges, rows);
        }
    }

    @SuppressWarnings("MustBeClosedChecker") // closed by the counted scan
    @MustBeClosed
    @Override
    public Scan scan(int type) {
        Kept kept = find(Part.Kind.LIVE, type, 0);
        if (kept != null && kept.block() instanceof Block.Live live) {
            return new LiveScan(this, type, kept, live);
        }
        return new CountedScan(this, type, tables.scan(type));
    }

    /** Of the tables: an export reads whole records. */
    @MustBeClosed
    @Override
    public Scan scan(int type, int from) {
        return tables.scan(type, from);
    }

    /** Counts the rows of a scan of the tables. */
    private record CountedScan(ResidentView view, int type, Scan scan) implements Scan {
        @Override
        public int next(EntityColumn into) {
            int size = scan.next(into);
            view.missed(Part.Kind.LIVE, type, 0, type, size);
            return size;
        }

        @Override
        public void close() {
            scan.close();
        }
    }

    @MustBeClosed
    @Override
    public Expansion expand(int lane, Direction direction, EntityColumn nodes, int size) {
        return new HopExpansion(this, catalog.lane(lane), direction, new HopRows(nodes, null, size));
    }

    @MustBeClosed
    @Override
    public Expansion expandTo(int lane, Direction direction, EntityColumn nodes, EntityColumn ends, int size) {
        return new HopExpansion(this, catalog.lane(lane), direction, new HopRows(nodes, ends, size));
    }

    @Override
    public boolean degrees(int lane, Direction direction, boolean distinct, EntityColumn nodes, int size, int[] into) {
        Kept kept = findHops(lane, direction, false);
        if (kept == null || !(kept.block() instanceof Block.Neighbours neighbours)) {
            return false;
        }
        hit(kept, size);
        int nearType = nearType(lane, direction);
        DirtySet dirty = kept.dirty();
        boolean allClean = dirty.marked() == 0;
        int bound = dirty.bound();
        boolean nulls = nodes.hasNulls();
        int[] starts = neighbours.starts();
        int[] apart = distinct ? neighbours.distinct() : null;
        for (int i = 0; i < size; i++) {
            int node = nodes.ordinals[i];
            if (nodes.types[i] != nearType || (nulls && nodes.isNull(i))) {
                into[i] = 0;
            } else if (allClean ? node < bound : dirty.isClean(node)) {
                into[i] = apart == null ? starts[node + 1] - starts[node] : apart[node];
            } else {
                into[i] = -1;
            }
        }
        return true;
    }

    @Override
    public @Nullable Runs runs(int lane, Direction direction, int rows) {
        Kept kept = findHops(lane, direction, false);
        if (kept == null || !(kept.block() instanceof Block.Neighbours neighbours)) {
            return null;
        }
        hit(kept, rows);
        return new BlockRuns(kept.dirty(), neighbours.starts(), neighbours.nodes());
    }

    /** The runs of nodes that are not dirty. */
    private record BlockRuns(DirtySet dirty, int[] starts, int[] nodes) implements Runs {
        @Override
        public int start(int node) {
            return dirty.isClean(node) ? starts[node] : -1;
        }

        @Override
        public int end(int node) {
            return starts[node + 1];
        }
    }

    private static Part.Kind kind(Direction direction) {
        return direction == Direction.OUT ? Part.Kind.OUT : Part.Kind.IN;
    }

    private int nearType(int lane, Direction direction) {
        return catalog.lane(lane).near(direction);
    }

    @Override
    public void read(int property, EntityColumn rows, int size, Column into) {
        int first = firstOf(rows, size);
        if (first < 0 || (size < ROWS_MIN && rows.records[first] != EntityColumn.NO_RECORD)) {
            tables.read(property, rows, size, into);
            return;
        }
        int type = rows.types[first];
        Kept kept = find(Part.Kind.COLUMN, type, property);
        if (kept != null && copy(kept, property, rows, size, into)) {
            return;
        }
        if (rows.records[first] == EntityColumn.NO_RECORD && isKeyText(type, property) && areLive(type, rows, size)) {
            // The id is the key, and found without the record.
            reads.fromTables += size;
            tables.ids(rows, size, into);
            return;
        }
        recordTypes.set(type);
        missed(Part.Kind.COLUMN, type, property, type, size);
        tables.read(property, rows, size, into);
    }

    private boolean isKeyText(int type, int property) {
        EntityType of = catalog.requireType(type);
        Property key = of.key().size() == 1 && of.key().getFirst() == property ? of.property(property) : null;
        return key != null && key.type().equals(PropertyType.STRING);
    }

    /** Whether a block knows that each row that is not null is live; counts the rows when there is no block. */
    private boolean areLive(int type, EntityColumn rows, int size) {
        Kept kept = find(Part.Kind.LIVE, type, 0);
        if (kept == null || !(kept.block() instanceof Block.Live live)) {
            missed(Part.Kind.LIVE, type, 0, type, size);
            return false;
        }
        return kept.dirty().areClean(rows, size) && live.areLive(type, rows, size);
    }

    @Override
    public boolean vector(int property, EntityColumn rows, int row, float[] into) {
        return tables.vector(property, rows, row, into);
    }

    @Override
    public @Nullable Vectors vectors(int type, int property, EntityColumn rows, int size) {
        Kept kept = find(Part.Kind.COLUMN, type, property);
        int others = kept == null || kept.dirty().areClean(rows, size) ? 0 : others(kept.dirty(), rows, size);
        if (kept == null || !(kept.block() instanceof Block.Vectors vectors) || others > size / 2) {
            recordTypes.set(type);
            missed(Part.Kind.COLUMN, type, property, type, size);
            return null;
        }
        hit(kept, size - others);
        if (others > 0) {
            missed(Part.Kind.COLUMN, type, property, type, others);
        }
        return new BlockVectors(kept.dirty(), vectors);
    }

    /** The first row that is not null; −1 for none. */
    private static int firstOf(EntityColumn rows, int size) {
        for (int i = 0; i < size; i++) {
            if (!rows.isNull(i)) {
                return i;
            }
        }
        return -1;
    }

    /** Copies values from a block, and those of dirty rows from the tables; false when the block has another form. */
    private boolean copy(Kept kept, int property, EntityColumn rows, int size, Column into) {
        int others = kept.dirty().areClean(rows, size) ? 0 : others(kept.dirty(), rows, size);
        if (others > size / 2) {
            return false;
        }
        into.reset(size);
        boolean done = BlockColumns.copy(kept.block(), rows, others == 0 ? null : rest, size, into);
        if (!done) {
            return false;
        }
        hit(kept, size);
        if (others > 0) {
            Column read = into.sibling();
            tables.read(property, rest, size, read);
            missed(Part.Kind.COLUMN, kept.part().type(), property, kept.part().type(), others);
            for (int i = 0; i < size; i++) {
                if (!rest.isNull(i)) {
                    into.copy(read, i, i);
                }
            }
        }
        return true;
    }

    /** Puts the rows that the block does not answer into {@link #rest}, and makes its other rows null. */
    private int others(DirtySet dirty, EntityColumn rows, int size) {
        rest.reset(size);
        int others = 0;
        for (int i = 0; i < size; i++) {
            if (rows.isNull(i) || dirty.isClean(rows.ordinals[i])) {
                rest.setNull(i);
            } else {
                rest.set(i, rows.types[i], rows.ordinals[i], rows.records[i]);
                others++;
            }
        }
        return others;
    }

    @Override
    public ReadCounts reads() {
        return reads;
    }

    @Override
    public void leaveBlocks() {
        left = true;
        tables.leaveBlocks();
    }

    @Override
    public Catalog catalog() {
        return catalog;
    }

    @Override
    public ReadPoint point() {
        return tables.point();
    }

    @Override
    public long count(int type) {
        return tables.count(type);
    }

    @Override
    public int ordinalBound(int type) {
        return tables.ordinalBound(type);
    }

    @Override
    public int ordinal(int type, String id) {
        return tables.ordinal(type, id);
    }

    @Override
    public int lookup(int type, String id) {
        int ordinal = tables.ordinal(type, id);
        return ordinal >= 0 && isLive(type, ordinal) ? ordinal : -1;
    }

    @Override
    public boolean lookup(int type, String id, EntityColumn into, int row) {
        if (find(Part.Kind.LIVE, type, 0) != null) {
            return GraphView.super.lookup(type, id, into, row);
        }
        missed(Part.Kind.LIVE, type, 0, type, 1);
        return tables.lookup(type, id, into, row);
    }

    @Override
    public void lookup(int type, String[] ids, int size, int[] ordinals) {
        tables.lookup(type, ids, size, ordinals);
    }

    @Override
    public String id(int type, int ordinal) {
        return tables.id(type, ordinal);
    }

    @Override
    public void ids(EntityColumn rows, int size, Column into) {
        tables.ids(rows, size, into);
    }

    @Override
    public boolean isLive(int type, int ordinal) {
        Kept kept = find(Part.Kind.LIVE, type, 0);
        if (kept != null
                && kept.block() instanceof Block.Live live
                && kept.dirty().isClean(ordinal)) {
            hit(kept, 1);
            return live.isLive(ordinal);
        }
        missed(Part.Kind.LIVE, type, 0, type, 1);
        return tables.isLive(type, ordinal);
    }

    @MustBeClosed
    @Override
    public Scan seek(IndexRange range) {
        return tables.seek(range);
    }

    @Override
    public void endpoints(EntityColumn edges, int size, EntityColumn sources, EntityColumn destinations) {
        tables.endpoints(edges, size, sources, destinations);
    }

    @Override
    public @Nullable ResolvedIds resolve(ChangeBlock changes, Runnable checkpoint) {
        return tables.resolve(changes, checkpoint);
    }

    @Override
    public Image image(int type, int ordinal) {
        return tables.image(type, ordinal);
    }

    @Override
    public long imageBytes(int type, int ordinal) {
        return tables.imageBytes(type, ordinal);
    }

    @Override
    public long distinctEstimate(int index) {
        return tables.distinctEstimate(index);
    }

    @Override
    public long distinctValues(int type, int property) {
        Kept kept = find(Part.Kind.COLUMN, type, property);
        return kept == null ? 0 : kept.block().distinctValues();
    }

    @Override
    public int[] edgesOf(int edgeType, Direction direction, int nodeType, int node) {
        return tables.edgesOf(edgeType, direction, nodeType, node);
    }

    @MustBeClosed
    @Override
    public Scan scanById(int type, @Nullable String after) {
        return tables.scanById(type, after);
    }

    @Override
    public @Nullable TextIndex texts() {
        return tables.texts();
    }

    @Override
    public void close() {
        tables.close();
    }
}
