package service.projection.table;

import service.core.schema.Lane;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * The states of entities.
 *
 * <pre>
 *  u32 type | u32 ordinal | u32 ~incarnation | u64 ~offset   →
 *
 *  dead      0  u8 0
 *  a node    0  u8 1    1  the property row, the same bytes as in the event
 *  an edge   0  u8 1    1  u32 source ordinal    5  u32 destination ordinal    9  the property row
 *            0  u8 3    …  of a lane that is not that of the first types           …  u32 lane, after the row
 * </pre>
 *
 * <p>A <em>record handle</em> is the address of such a value.
 */
public final class RecordTable {
    public static final int MEMBER = 2 * Integer.BYTES;
    public static final int NODE_ROW = 1;
    public static final int EDGE_SOURCE = 1;
    public static final int EDGE_DESTINATION = 5;
    public static final int EDGE_ROW = 9;

    private RecordTable() {}

    public static void member(KeyBuffer into, int type, int ordinal) {
        into.clear().putInt(type).putInt(ordinal);
    }

    /** Bits of the first byte: live; a lane is stored after the row. */
    public static final int OTHER_LANE = 3;

    private static final int LANE_BIT = 2;

    /**
     * The lane of a live edge.
     *
     * @param edgeType its type, which is the lane of the first types
     */
    public static int lane(long record, int edgeType) {
        if ((MappedBytes.byteAt(record) & LANE_BIT) == 0) {
            return edgeType;
        }
        long row = record + EDGE_ROW;
        return MappedBytes.intAt(row + MappedRow.length(row));
    }

    /** The source of a live edge as indexes have it. */
    public static long sourceKey(long record, int edgeType) {
        return Lane.sourceKey(lane(record, edgeType), MappedBytes.intAt(record + EDGE_SOURCE));
    }

    /** The destination of a live edge as indexes have it. */
    public static long destinationKey(long record, int edgeType) {
        return Lane.destinationKey(lane(record, edgeType), MappedBytes.intAt(record + EDGE_DESTINATION));
    }

    public static boolean live(long record) {
        return MappedBytes.byteAt(record) != 0;
    }
}
