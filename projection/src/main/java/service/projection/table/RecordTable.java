package service.projection.table;

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

    public static boolean live(long record) {
        return MappedBytes.byteAt(record) != 0;
    }
}
