package service.projection.table;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * Which entities got other values to search, by the events that changed them: an index of an incarnation reads here
 * what it does not have yet, and a view what an index has otherwise.
 *
 * <pre>
 *  u32 incarnation | u64 offset | u32 type | u32 ordinal   →  u8 0
 *  u32 incarnation | u64 offset | u32 −1   | u32 0         →  u8 0    a gap: from here on more properties are searched
 *  u32 −1                                                  →  0 u64 from · 8 u64 through · 16 u64 cut
 * </pre>
 *
 * An entity has an entry for each event that inserts or deletes it with a searched value, or changes one. Entries of
 * events at or below <em>from</em> are missing on every incarnation, and those of {@code main} at or below
 * <em>cut</em>, which cleanup has taken. <em>Through</em> is the last event that was applied with this table: an
 * earlier program does not write it. The table is no part of a packed image, and a comparison of tables does not read
 * it.
 */
public final class ArrivalTable {
    /** Stands in place of a type where a schema began to search more properties. */
    public static final int GAP = -1;

    private static final int STATE = -1;
    private static final int STATE_LENGTH = 24;
    private static final int AT_OFFSET = Integer.BYTES;
    private static final int AT_TYPE = AT_OFFSET + Long.BYTES;
    private static final int AT_ORDINAL = AT_TYPE + Integer.BYTES;

    /**
     * What the table has.
     *
     * @param from it has the entries of all events above, but those that cleanup took
     * @param through the last event applied with it
     * @param cut of {@code main} it has only entries of events above
     */
    public record State(long from, long through, long cut) {}

    /** Takes entries in the order of events. */
    @FunctionalInterface
    public interface Sink {
        /**
         * The next entry.
         *
         * @return whether to go on
         */
        boolean take(long offset, int type, int ordinal);
    }

    private ArrivalTable() {}

    public static void key(KeyBuffer into, int incarnation, long offset, int type, int ordinal) {
        into.clear().putInt(incarnation).putLong(offset).putInt(type).putInt(ordinal);
    }

    /** What the table has; null before the first entry, and where there is no table. */
    public static @Nullable State state(TableAccess access) {
        if (!access.has(ProjectionTable.ARRIVALS)) {
            return null;
        }
        DirectBuffer value = access.get(ProjectionTable.ARRIVALS, access.key().putInt(STATE));
        return value == null ? null : new State(value.getLong(0), value.getLong(8), value.getLong(16));
    }

    /**
     * Notes that events were applied. Call it before the last offset applied is written.
     *
     * @param offset of the last one
     */
    public static void applied(TableAccess access, long offset) {
        if (access.entries(ProjectionTable.ARRIVALS) == 0) {
            return;
        }
        long before = AppliedTable.offset(access);
        State state = state(access);
        if (state == null) {
            put(access, new State(before, offset, -1));
        } else {
            // Events that another program has applied have no entries.
            put(access, new State(state.through == before ? state.from : before, offset, state.cut));
        }
    }

    /** Notes that cleanup takes the entries of {@code main} up to an offset; before it deletes them. */
    public static void cut(TableAccess access, long offset) {
        State state = state(access);
        if (state != null && offset > state.cut) {
            put(access, new State(state.from, state.through, offset));
        }
    }

    private static void put(TableAccess access, State state) {
        UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(STATE_LENGTH));
        value.putLong(0, state.from, ByteOrder.LITTLE_ENDIAN);
        value.putLong(8, state.through, ByteOrder.LITTLE_ENDIAN);
        value.putLong(16, state.cut, ByteOrder.LITTLE_ENDIAN);
        access.put(ProjectionTable.ARRIVALS, access.key().putInt(STATE).key(), value);
    }

    /**
     * Walks the entries of an incarnation.
     *
     * @param after only those of events above
     * @param through and up to this offset, included
     */
    public static void walk(TableAccess access, int incarnation, long after, long through, Sink sink) {
        if (after >= through) {
            return;
        }
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.ARRIVALS);
        try {
            KeyBuffer from = access.key().putInt(incarnation).putLong(Math.max(0, after + 1));
            for (boolean found = cursor.get(from.key(), GetOp.MDB_SET_RANGE); found; found = cursor.next()) {
                long at = cursor.key().addressOffset();
                if (MappedBytes.keyIntAt(at) != incarnation || cursor.key().capacity() == Integer.BYTES) {
                    return;
                }
                long offset = MappedBytes.keyLongAt(at + AT_OFFSET);
                if (offset > through
                        || !sink.take(
                                offset, MappedBytes.keyIntAt(at + AT_TYPE), MappedBytes.keyIntAt(at + AT_ORDINAL))) {
                    return;
                }
            }
        } finally {
            access.release(ProjectionTable.ARRIVALS, cursor);
        }
    }

    /** The incarnation of the first entry of an incarnation at or above a number; −1 when there is none. */
    public static int nextIncarnation(TableAccess access, int from) {
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.ARRIVALS);
        try {
            return cursor.get(access.key().putInt(from).key(), GetOp.MDB_SET_RANGE)
                    ? MappedBytes.keyIntAt(cursor.key().addressOffset())
                    : -1;
        } finally {
            access.release(ProjectionTable.ARRIVALS, cursor);
        }
    }
}
