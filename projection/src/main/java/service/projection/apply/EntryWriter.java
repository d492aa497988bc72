package service.projection.apply;

import java.nio.ByteOrder;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Lane;
import service.core.schema.RowShape;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.projection.resident.DirtyMarks;
import service.projection.table.AdjacencyTable;
import service.projection.table.ArrivalTable;
import service.projection.table.IdTable;
import service.projection.table.IndexTable;
import service.projection.table.ProjectionTable;
import service.projection.table.RecordTable;

/** Turns one change, its ids resolved, into entries of the tables. */
final class EntryWriter {
    private static final int LIVE = 1;
    private static final int DEAD = 0;

    private final KeyBuffer key = new KeyBuffer();
    private final KeyBuffer otherKey = new KeyBuffer();
    private final ExpandableDirectByteBuffer record = new ExpandableDirectByteBuffer(1_024);
    private final UnsafeBuffer value = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer flag = new UnsafeBuffer(java.nio.ByteBuffer.allocateDirect(Integer.BYTES));
    private final UnsafeBuffer flagValue = new UnsafeBuffer(flag, 0, 1);

    private final Searched searched = new Searched();
    private final DirtyMarks marks;
    private int[] lineage = {};
    private long offset;
    private int laneBefore;
    private int laneAfter;
    private int sourceBefore;
    private int destinationBefore;
    private int sourceAfter;
    private int destinationAfter;

    /** @param marks is told what is written */
    EntryWriter(DirtyMarks marks) {
        this.marks = marks;
    }

    /** Stores the ordinal of an id that had none. */
    void identify(Puts puts, KeyBuffer idKey, int type, int ordinal, UnsafeBuffer id) {
        IdTable.ordinalKey(key, type, ordinal);
        puts.put(ProjectionTable.ORDINALS, key.key(), id);
        flag.putInt(0, ordinal, ByteOrder.LITTLE_ENDIAN);
        puts.put(ProjectionTable.IDS, idKey.key(), flag);
    }

    /**
     * @param change address of a change in the window
     * @param window its references are resolved
     * @param ofLineage the incarnation of the event and those that it descends from
     */
    void write(Puts puts, long change, ChangeWindow window, Catalog catalog, int[] ofLineage, long atOffset) {
        this.lineage = ofLineage;
        this.offset = atOffset;
        EntityType type = catalog.requireType(MappedBytes.intAt(change + ChangeWindow.TYPE));
        int ordinal = resolved(window, change, ChangeWindow.ID);
        int beforeLength = MappedBytes.intAt(change + ChangeWindow.LENGTH_BEFORE);
        int afterLength = MappedBytes.intAt(change + ChangeWindow.LENGTH_AFTER);
        boolean existed = beforeLength >= 0;
        boolean exists = afterLength >= 0;
        long rowBefore = change + ChangeWindow.ROWS;
        long rowAfter = rowBefore + Math.max(0, beforeLength);
        boolean edge = type.kind() == EntityKind.EDGE;
        if (edge) {
            laneBefore = MappedBytes.intAt(change + ChangeWindow.LANE_BEFORE);
            laneAfter = MappedBytes.intAt(change + ChangeWindow.LANE_AFTER);
            sourceBefore = existed ? resolved(window, change, ChangeWindow.SOURCE_BEFORE) : -1;
            destinationBefore = existed ? resolved(window, change, ChangeWindow.DESTINATION_BEFORE) : -1;
            sourceAfter = exists ? resolved(window, change, ChangeWindow.SOURCE_AFTER) : -1;
            destinationAfter = exists ? resolved(window, change, ChangeWindow.DESTINATION_AFTER) : -1;
        }
        marks.entity(lineage, type.identity(), ordinal);
        if (searched.differs(type, existed ? rowBefore : 0, exists ? rowAfter : 0)) {
            arrive(puts, type.identity(), ordinal, lineage[0], offset);
        }
        RowShape shape = catalog.shape(type.identity());
        writeRecord(puts, type.identity(), ordinal, edge, shape, rowAfter, afterLength);
        if (edge) {
            writeEnds(puts, ordinal, existed, exists);
        }
        for (IndexDefinition index : type.indexes()) {
            writePostings(puts, index, ordinal, existed ? rowBefore : 0, exists ? rowAfter : 0);
        }
    }

    private static int resolved(ChangeWindow window, long change, int field) {
        int ordinal = window.ordinal(MappedBytes.intAt(change + field));
        if (ordinal < 0) {
            throw new IllegalStateException("an event names an entity that was never inserted");
        }
        return ordinal;
    }

    /** From an event on, more properties are searched: entities that were not changed since have no arrivals. */
    void gap(Puts puts, int incarnation, long atOffset) {
        arrive(puts, ArrivalTable.GAP, 0, incarnation, atOffset);
    }

    private void arrive(Puts puts, int type, int ordinal, int incarnation, long atOffset) {
        ArrivalTable.key(key, incarnation, atOffset, type, ordinal);
        flag.putByte(0, (byte) 0);
        puts.put(ProjectionTable.ARRIVALS, key.key(), flagValue);
    }

    private void writeRecord(Puts puts, int type, int ordinal, boolean edge, RowShape shape, long row, int rowLength) {
        RecordTable.member(key, type, ordinal);
        version(key);
        int length = 1;
        boolean otherLane = edge && rowLength >= 0 && Lane.isOther(laneAfter);
        record.putByte(0, (byte) (rowLength < 0 ? DEAD : otherLane ? RecordTable.OTHER_LANE : LIVE));
        if (rowLength >= 0) {
            if (edge) {
                record.putInt(RecordTable.EDGE_SOURCE, sourceAfter, ByteOrder.LITTLE_ENDIAN);
                record.putInt(RecordTable.EDGE_DESTINATION, destinationAfter, ByteOrder.LITTLE_ENDIAN);
                length = RecordTable.EDGE_ROW;
            }
            if (shape.marksNulls()) {
                byte[] marked = shape.stored(PropertyRow.wrap(MappedBytes.copy(row, rowLength)))
                        .bytes();
                record.putBytes(length, marked);
                length += marked.length;
            } else {
                value.wrap(row, rowLength);
                record.putBytes(length, value, 0, rowLength);
                length += rowLength;
            }
        }
        if (otherLane) {
            record.putInt(length, laneAfter, ByteOrder.LITTLE_ENDIAN);
            length += Integer.BYTES;
        }
        value.wrap(record, 0, length);
        puts.put(ProjectionTable.RECORDS, key.key(), value);
    }

    private void writeEnds(Puts puts, int edge, boolean existed, boolean exists) {
        if (existed
                && exists
                && laneBefore == laneAfter
                && sourceBefore == sourceAfter
                && destinationBefore == destinationAfter) {
            return;
        }
        if (existed) {
            writePair(puts, laneBefore, edge, sourceBefore, destinationBefore, DEAD);
        }
        if (exists) {
            writePair(puts, laneAfter, edge, sourceAfter, destinationAfter, LIVE);
        }
    }

    private void writePair(Puts puts, int lane, int edge, int source, int destination, int live) {
        marks.pair(lineage, lane, source, destination);
        flag.putByte(0, (byte) live);
        AdjacencyTable.member(key, lane, source, destination, edge);
        version(key);
        puts.put(ProjectionTable.OUT, key.key(), flagValue);
        AdjacencyTable.member(key, lane, destination, source, edge);
        version(key);
        puts.put(ProjectionTable.IN, key.key(), flagValue);
    }

    private void writePostings(Puts puts, IndexDefinition index, int ordinal, long rowBefore, long rowAfter) {
        int before = rowBefore == 0
                ? IndexTable.ABSENT
                : IndexTable.put(
                        key,
                        index,
                        rowBefore,
                        Lane.sourceKey(laneBefore, sourceBefore),
                        Lane.destinationKey(laneBefore, destinationBefore));
        int after = rowAfter == 0
                ? IndexTable.ABSENT
                : IndexTable.put(
                        otherKey,
                        index,
                        rowAfter,
                        Lane.sourceKey(laneAfter, sourceAfter),
                        Lane.destinationKey(laneAfter, destinationAfter));
        if (before != IndexTable.ABSENT && after != IndexTable.ABSENT && same()) {
            return;
        }
        if (before != IndexTable.ABSENT) {
            flag.putByte(0, (byte) before);
            version(key.putInt(ordinal));
            puts.put(ProjectionTable.INDEX, key.key(), flagValue);
        }
        if (after != IndexTable.ABSENT) {
            flag.putByte(0, (byte) (after | IndexTable.LIVE));
            version(otherKey.putInt(ordinal));
            puts.put(ProjectionTable.INDEX, otherKey.key(), flagValue);
        }
    }

    private boolean same() {
        return key.length() == otherKey.length() && MappedBytes.same(key.address(), otherKey.address(), key.length());
    }

    private void version(KeyBuffer member) {
        member.putInt(~lineage[0]).putLong(~offset);
    }
}
