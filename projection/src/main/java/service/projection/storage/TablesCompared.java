package service.projection.storage;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import service.log.lmdb.ReadTransaction;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;
import service.projection.temporal.MappedBytes;

/** Compares two projections entry by entry, byte by byte. */
public final class TablesCompared {
    private TablesCompared() {}

    /** Where the first difference lies, in words, or null when there is none. */
    public static @Nullable String difference(ProjectionEnvironment a, ProjectionEnvironment b) {
        try (ReadTransaction readA = a.environment().read();
                ReadTransaction readB = b.environment().read()) {
            return difference(a.access(readA), b.access(readB));
        }
    }

    static @Nullable String difference(TableAccess a, TableAccess b) {
        for (ProjectionTable table : ProjectionTable.values()) {
            String difference = difference(table, a, b);
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    private static @Nullable String difference(
            ProjectionTable table, TableAccess accessA, TableAccess accessB) {
        Cursor<DirectBuffer> a = accessA.cursor(table);
        Cursor<DirectBuffer> b = accessB.cursor(table);
        try {
            boolean moreA = a.first();
            boolean moreB = b.first();
            long entry = 0;
            while (moreA && moreB) {
                if (!same(a.key(), b.key()) || !same(a.val(), b.val())) {
                    return "table " + table.tableName() + " differs at entry " + entry;
                }
                entry++;
                moreA = a.next();
                moreB = b.next();
            }
            return moreA == moreB
                    ? null
                    : "table "
                            + table.tableName()
                            + " ends at entry "
                            + entry
                            + " in one of them only";
        } finally {
            accessA.release(table, a);
            accessB.release(table, b);
        }
    }

    private static boolean same(DirectBuffer a, DirectBuffer b) {
        return a.capacity() == b.capacity()
                && MappedBytes.same(a.addressOffset(), b.addressOffset(), a.capacity());
    }
}
