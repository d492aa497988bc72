package service.projection.storage;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.ReadTransaction;
import service.log.retain.Retention;
import service.projection.retain.EntryNeed;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

/**
 * Compares two projections entry by entry and byte by byte. Skips entries that no readable state needs, because a sweep
 * may have deleted them from one of the two.
 */
public final class TablesCompared {
    private TablesCompared() {}

    /** Describes the first difference; null when there is none. */
    public static @Nullable String difference(ProjectionEnvironment a, ProjectionEnvironment b) {
        try (ReadTransaction readA = a.environment().read();
                ReadTransaction readB = b.environment().read()) {
            return difference(a.access(readA), b.access(readB), Retention.NONE);
        }
    }

    static @Nullable String difference(TableAccess a, TableAccess b, Retention retention) {
        for (ProjectionTable table : ProjectionTable.values()) {
            String difference = table.isExact() ? difference(table, a, b, retention) : null;
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    private static @Nullable String difference(
            ProjectionTable table, TableAccess accessA, TableAccess accessB, Retention retention) {
        Cursor<DirectBuffer> a = accessA.cursor(table);
        Cursor<DirectBuffer> b = accessB.cursor(table);
        try {
            EntryNeed needA = new EntryNeed(table, retention);
            EntryNeed needB = new EntryNeed(table, retention);
            boolean moreA = needed(a, a.first(), needA);
            boolean moreB = needed(b, b.first(), needB);
            long entry = 0;
            while (moreA && moreB) {
                if (!same(a.key(), b.key()) || !same(a.val(), b.val())) {
                    return "table " + table.tableName() + " differs at entry " + entry;
                }
                entry++;
                moreA = needed(a, a.next(), needA);
                moreB = needed(b, b.next(), needB);
            }
            return moreA == moreB
                    ? null
                    : "table " + table.tableName() + " ends at entry " + entry + " in one of them only";
        } finally {
            accessA.release(table, a);
            accessB.release(table, b);
        }
    }

    /** Moves to the first needed entry from the current one on; false at the end. */
    private static boolean needed(Cursor<DirectBuffer> cursor, boolean found, EntryNeed need) {
        boolean standing = found;
        while (standing && !need.test(cursor.key(), cursor.val())) {
            standing = cursor.next();
        }
        return standing;
    }

    private static boolean same(DirectBuffer a, DirectBuffer b) {
        return a.capacity() == b.capacity() && MappedBytes.same(a.addressOffset(), b.addressOffset(), a.capacity());
    }
}
