package service.projection.table;

import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.projection.temporal.Chain;
import service.projection.temporal.TemporalCursor;

/**
 * Number of live entities of a type.
 *
 * <pre>  u32 type | u32 ~incarnation | u64 ~offset   →   u64 count</pre>
 */
public final class CountTable {
    private CountTable() {}

    public static void member(KeyBuffer into, int type) {
        into.clear().putInt(type);
    }

    public static long count(TableAccess access, Chain chain, int type) {
        TemporalCursor cursor = access.temporal(ProjectionTable.COUNTS, chain);
        try {
            KeyBuffer key = access.key();
            member(key, type);
            return cursor.find(key) ? MappedBytes.longAt(cursor.valueAddress()) : 0;
        } finally {
            access.release(ProjectionTable.COUNTS, cursor);
        }
    }
}
