package service.projection.table;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
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
    public static final int VERSION = 4;

    public static final int LENGTH = 12;

    private AppliedTable() {}

    public static void key(KeyBuffer into) {
        into.clear().putInt(0);
    }

    public static int encode(MutableDirectBuffer into, long offset) {
        into.putInt(0, VERSION);
        into.putLong(4, offset);
        return LENGTH;
    }

    /** The last offset applied; −1 for none. */
    public static long offset(TableAccess access) {
        DirectBuffer value = value(access);
        return value == null ? -1 : value.getLong(4);
    }

    /** The layout's version, 0 for an empty environment. */
    public static int version(TableAccess access) {
        DirectBuffer value = value(access);
        return value == null ? 0 : value.getInt(0);
    }

    private static @org.jspecify.annotations.Nullable DirectBuffer value(TableAccess access) {
        KeyBuffer key = access.key();
        key(key);
        return access.get(ProjectionTable.APPLIED, key);
    }
}
