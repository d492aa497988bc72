package service.projection.view;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.batch.TextColumn;
import service.core.event.ChangeBlock;
import service.core.event.Image;
import service.core.event.ResolvedIds;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.port.ReadPoint;
import service.core.port.TextIndex;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Lane;
import service.core.value.Direction;
import service.core.value.EntityKind;
import service.core.value.HeapBytes;
import service.core.value.PropertyRow;
import service.core.value.TaggedValue;
import service.core.value.Value;
import service.log.lmdb.MappedBytes;
import service.projection.table.CountTable;
import service.projection.table.IdReader;
import service.projection.table.IdTable;
import service.projection.table.MappedRow;
import service.projection.table.ProjectionTable;
import service.projection.table.RecordTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;
import service.projection.temporal.TemporalCursor;

/** A view of the tables along a chain. Every operation is a walk or a look-up of the temporal mechanism. */
final class ProjectionView implements GraphView {
    private static final Scan NOTHING = new Scan() {
        @Override
        public int next(EntityColumn into) {
            into.reset(0);
            return 0;
        }

        @Override
        public void close() {}
    };

    /** From so many ids on a reader of many saves more than it costs. */
    private static final int MANY_IDS = 128;

    private final TableAccess access;
    private final Chain chain;
    private final ReadPoint point;
    private final Catalogs.Compiled schema;
    private final Catalog catalog;
    private final ColumnReader columns = new ColumnReader();
    private final UnsafeBuffer window = new UnsafeBuffer(0, 0);
    private final AskedTexts texts;
    private @Nullable TemporalCursor records;
    private @Nullable IdReader manyIds;

    ProjectionView(TableAccess access, Chain chain, ReadPoint point, Catalogs.Compiled schema, TextSource textSource) {
        this.texts = new AskedTexts(() -> textSource.texts(access, chain, this));
        this.access = access;
        this.chain = chain;
        this.point = point;
        this.schema = schema;
        this.catalog = schema.catalog();
    }

    @Override
    public Catalog catalog() {
        return catalog;
    }

    @Override
    public ReadPoint point() {
        return point;
    }

    @Override
    public long count(int type) {
        return CountTable.count(access, chain, type);
    }

    @Override
    public int ordinalBound(int type) {
        return IdTable.ordinalBound(access, type);
    }

    @Override
    public int ordinal(int type, String id) {
        return IdTable.ordinal(access, type, id);
    }

    @Override
    public int lookup(int type, String id) {
        int ordinal = ordinal(type, id);
        return ordinal >= 0 && isLive(type, ordinal) ? ordinal : -1;
    }

    @Override
    public boolean lookup(int type, String id, EntityColumn into, int row) {
        int ordinal = ordinal(type, id);
        long record = ordinal < 0 ? EntityColumn.NO_RECORD : record(type, ordinal);
        if (record == EntityColumn.NO_RECORD) {
            return false;
        }
        into.set(row, type, ordinal, record);
        return true;
    }

    @Override
    public void lookup(int type, String[] ids, int size, int[] ordinals) {
        IdTable.ordinals(access, type, ids, size, ordinals);
        if (isEachLive(type)) {
            return;
        }
        for (int i = 0; i < size; i++) {
            if (ordinals[i] >= 0 && !isLive(type, ordinals[i])) {
                ordinals[i] = -1;
            }
        }
    }

    @Override
    public ResolvedIds resolve(ChangeBlock changes, Runnable checkpoint) {
        return new IdResolution(access, this, changes, checkpoint).run();
    }

    /** Whether every entity of the type that ever was is live. */
    boolean isEachLive(int type) {
        return count(type) == ordinalBound(type);
    }

    @Override
    public String id(int type, int ordinal) {
        return IdTable.idText(access, type, ordinal);
    }

    @Override
    public void ids(EntityColumn rows, int size, Column into) {
        into.reset(size);
        TextColumn texts = (TextColumn) into;
        if (manyIds == null && size >= MANY_IDS) {
            manyIds = new IdReader(access);
        }
        for (int i = 0; i < size; i++) {
            DirectBuffer id = rows.isNull(i) ? null : idBytes(rows.types[i], rows.ordinals[i]);
            if (id == null) {
                texts.setNull(i);
            } else {
                texts.set(i, id, 0, id.capacity());
            }
        }
    }

    private @Nullable DirectBuffer idBytes(int type, int ordinal) {
        return manyIds == null ? IdTable.id(access, type, ordinal) : manyIds.id(type, ordinal);
    }

    @Override
    public boolean isLive(int type, int ordinal) {
        return record(type, ordinal) != EntityColumn.NO_RECORD;
    }

    @MustBeClosed
    @Override
    public Scan scan(int type) {
        return scan(type, 0);
    }

    @MustBeClosed
    @Override
    public Scan scan(int type, int from) {
        return new TypeScan(access, chain, type, from);
    }

    @MustBeClosed
    @Override
    public Scan scanById(int type, @Nullable String after) {
        return new IdScan(access, this, type, after);
    }

    @MustBeClosed
    @Override
    public Scan seek(IndexRange range) {
        IndexDefinition index = schema.index(range.index());
        return index == null ? NOTHING : new IndexScan(access, this, chain, index, range);
    }

    @MustBeClosed
    @Override
    public Expansion expand(int lane, Direction direction, EntityColumn nodes, int size) {
        return new AdjacencyExpansion(access, chain, catalog.lane(lane), direction, new HopRows(nodes, null, size));
    }

    @Override
    public Expansion expandTo(int lane, Direction direction, EntityColumn nodes, EntityColumn ends, int size) {
        return new AdjacencyExpansion(access, chain, catalog.lane(lane), direction, new HopRows(nodes, ends, size));
    }

    @Override
    public void endpoints(EntityColumn edges, int size, EntityColumn sources, EntityColumn destinations) {
        sources.reset(size);
        destinations.reset(size);
        Lane lane = null;
        for (int i = 0; i < size; i++) {
            if (!edges.isNull(i)) {
                long record = handle(edges, i);
                if (record != EntityColumn.NO_RECORD) {
                    int identity = RecordTable.lane(record, edges.types[i]);
                    // Consecutive edges mostly have the same lane.
                    lane = lane != null && lane.identity() == identity ? lane : catalog.lane(identity);
                    int source = MappedBytes.intAt(record + RecordTable.EDGE_SOURCE);
                    int destination = MappedBytes.intAt(record + RecordTable.EDGE_DESTINATION);
                    sources.set(i, lane.source(), source, EntityColumn.NO_RECORD);
                    destinations.set(i, lane.destination(), destination, EntityColumn.NO_RECORD);
                }
            }
        }
    }

    @Override
    public void read(int property, EntityColumn rows, int size, Column into) {
        int type = -1;
        for (int i = 0; i < size; i++) {
            if (!rows.isNull(i)) {
                type = rows.types[i];
                handle(rows, i);
            }
        }
        int rowAt = type < 0 ? 0 : rowAt(type);
        Value missing = catalog.missing(property);
        if (missing == null) {
            columns.read(property, rows, size, rowAt, into);
        } else {
            columns.readYoung(property, missing, rows, size, rowAt, into);
        }
    }

    @Override
    public boolean vector(int property, EntityColumn rows, int row, float[] into) {
        long record = handle(rows, row);
        if (record == EntityColumn.NO_RECORD) {
            return false;
        }
        return columns.vector(property, record + rowAt(rows.types[row]), catalog.missing(property), into);
    }

    @Override
    public long imageBytes(int type, int ordinal) {
        return HeapBytes.array(MappedRow.length(liveRecord(type, ordinal) + rowAt(type)), 1);
    }

    private long liveRecord(int type, int ordinal) {
        long record = record(type, ordinal);
        if (record == EntityColumn.NO_RECORD) {
            throw new IllegalArgumentException("type " + type + " has no live entity of ordinal " + ordinal);
        }
        return record;
    }

    @Override
    public Image image(int type, int ordinal) {
        long record = liveRecord(type, ordinal);
        long row = record + rowAt(type);
        PropertyRow properties =
                catalog.shape(type).shown(PropertyRow.wrap(MappedBytes.copy(row, MappedRow.length(row))));
        return switch (catalog.requireType(type)) {
            case EntityType.NodeType ignored -> Image.ofNode(properties);
            case EntityType.EdgeType edge -> {
                int source = MappedBytes.intAt(record + RecordTable.EDGE_SOURCE);
                int destination = MappedBytes.intAt(record + RecordTable.EDGE_DESTINATION);
                Lane lane = catalog.lane(RecordTable.lane(record, type));
                yield new Image(
                        properties,
                        id(lane.source(), source),
                        id(lane.destination(), destination),
                        edge.source().stored(lane.source()),
                        edge.destination().stored(lane.destination()));
            }
        };
    }

    /** Values of the members of an index, as the index compares them: null where missing, ends as their keys. */
    List<@Nullable Value> values(int type, int ordinal, List<Integer> members) {
        long record = record(type, ordinal);
        PropertyRow shown =
                catalog.shape(type).isPlain() ? null : image(type, ordinal).properties();
        List<@Nullable Value> values = new ArrayList<>();
        for (int member : members) {
            if (member == Constraint.SRC || member == Constraint.DST) {
                values.add(new Value.Int(
                        member == Constraint.SRC
                                ? RecordTable.sourceKey(record, type)
                                : RecordTable.destinationKey(record, type)));
                continue;
            }
            if (shown != null) {
                values.add(shown.get(member));
                continue;
            }
            long row = record + rowAt(type);
            int slot = MappedRow.slot(row, member, 0);
            if (slot < 0) {
                values.add(null);
            } else {
                int length = MappedRow.valueLength(row, slot);
                window.wrap(MappedRow.value(row, slot), length);
                values.add(TaggedValue.get(window, 0, length));
            }
        }
        return values;
    }

    @Override
    public long distinctEstimate(int index) {
        IndexDefinition definition = schema.index(index);
        return definition == null ? 0 : new DistinctValues(access, chain, definition).estimate();
    }

    @Override
    public int[] edgesOf(int edgeType, Direction direction, int nodeType, int node) {
        EntityColumn nodes = new EntityColumn();
        nodes.set(0, nodeType, node, EntityColumn.NO_RECORD);
        int[] edges = {};
        int size = 0;
        ExpandBatch batch = new ExpandBatch();
        for (Lane lane : edgeType(edgeType).lanes(direction, nodeType)) {
            try (Expansion expansion = expand(lane.identity(), direction, nodes, 1)) {
                while (expansion.next(batch)) {
                    if (edges.length - size < batch.size) {
                        edges = Arrays.copyOf(edges, Math.max(2 * edges.length, size + batch.size));
                    }
                    System.arraycopy(batch.edges, 0, edges, size, batch.size);
                    size += batch.size;
                }
            }
        }
        edges = edges.length == size ? edges : Arrays.copyOf(edges, size);
        Arrays.sort(edges);
        return edges;
    }

    @Override
    public void leaveBlocks() {
        texts.leave();
    }

    @Override
    public @Nullable TextIndex texts() {
        return texts.get();
    }

    @Override
    public void close() {
        texts.leave();
        if (records != null) {
            access.release(ProjectionTable.RECORDS, records);
            records = null;
        }
    }

    private EntityType.EdgeType edgeType(int identity) {
        if (catalog.requireType(identity) instanceof EntityType.EdgeType edge) {
            return edge;
        }
        throw new IllegalArgumentException("type " + identity + " is not an edge type");
    }

    private int rowAt(int type) {
        return catalog.requireType(type).kind() == EntityKind.NODE ? RecordTable.NODE_ROW : RecordTable.EDGE_ROW;
    }

    private long handle(EntityColumn rows, int i) {
        long record = rows.records[i];
        if (record == EntityColumn.NO_RECORD) {
            record = record(rows.types[i], rows.ordinals[i]);
            rows.records[i] = record;
        }
        return record;
    }

    /** The record handle of a live entity, else 0. */
    private long record(int type, int ordinal) {
        TemporalCursor cursor = records;
        if (cursor == null) {
            cursor = access.temporal(ProjectionTable.RECORDS, chain);
            records = cursor;
        }
        if (!cursor.find(access.key().putInt(type).putInt(ordinal))) {
            return EntityColumn.NO_RECORD;
        }
        long record = cursor.valueAddress();
        return RecordTable.live(record) ? record : EntityColumn.NO_RECORD;
    }
}
