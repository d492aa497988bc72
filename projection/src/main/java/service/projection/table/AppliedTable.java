package service.projection.table;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import service.log.lmdb.KeyBuffer;

/**
 * The last offset that the projection has applied: one entry.
 *
 * <pre>  u32 0   →   0 u32 layout version   4 u64 the last offset applied</pre>
 *
 * A file outside of the environment says whether the environment may be trusted (see {@code storage.TrustFile}), since
 * a damaged environment must not be read.
 */
public final class AppliedTable {
    /** Incremented with every change of a table's layout. Tables of another version are rebuilt from the log. */
    private static final int VERSION = 6;

    /**
     * The version while there are tags, which pin states: a program that does not know them must not clean up, so it
     * makes the tables again and meets an event that is too new for it.
     */
    private static final int VERSION_TAGGED = 7;

    /**
     * The version of tables in which each id, each ordinal and each neighbour had a row. Packed tables have the same
     * entries, so they say that they are of this layout, and programs of both can read them.
     */
    private static final int PACKED = 4;

    public static final int LENGTH = 12;

    private AppliedTable() {}

    public static void key(KeyBuffer into) {
        into.clear().putInt(0);
    }

    /**
     * Writes the value and returns its length.
     *
     * @param tagged whether there are tags
     */
    public static int encode(MutableDirectBuffer into, long offset, boolean tagged) {
        into.putInt(0, tagged ? VERSION_TAGGED : VERSION);
        into.putLong(4, offset);
        return LENGTH;
    }

    /** The last offset applied; −1 for none. */
    public static long offset(TableAccess access) {
        DirectBuffer value = value(access);
        return value == null ? -1 : value.getLong(4);
    }

    /** Whether the tables have this layout; an empty environment has none. */
    public static boolean isThisLayout(TableAccess access) {
        DirectBuffer value = value(access);
        int version = value == null ? 0 : value.getInt(0);
        return version == VERSION || version == VERSION_TAGGED;
    }

    /** Whether the tables have a layout in which each entry had a row. */
    static boolean isEarlierLayout(TableAccess access) {
        DirectBuffer value = value(access);
        return value != null && value.getInt(0) < VERSION;
    }

    /** Changes a value of these tables to that of packed ones; leaves one of another layout as it is. */
    public static void pack(byte[] value) {
        change(value, PACKED - VERSION, VERSION);
    }

    /** Changes a value of packed tables to that of these; leaves one of another layout as it is. */
    public static void unpack(byte[] value) {
        change(value, VERSION - PACKED, PACKED);
    }

    private static void change(byte[] value, int by, int from) {
        UnsafeBuffer buffer = new UnsafeBuffer(value);
        int version = buffer.getInt(0);
        if (version == from || version == from + VERSION_TAGGED - VERSION) {
            buffer.putInt(0, version + by);
        }
    }

    /** Whether a key is that of the offset, not of a tag. */
    public static boolean isOffset(byte[] key, int length) {
        return length == Integer.BYTES && new UnsafeBuffer(key).getInt(0) == 0;
    }

    /** Whether nothing was applied yet. */
    public static boolean isEmpty(TableAccess access) {
        return value(access) == null;
    }

    private static @org.jspecify.annotations.Nullable DirectBuffer value(TableAccess access) {
        KeyBuffer key = access.key();
        key(key);
        return access.get(ProjectionTable.APPLIED, key);
    }
}
