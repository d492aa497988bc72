package service.projection.storage;

import java.util.Arrays;
import java.util.HexFormat;
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

    /** Which of two projections has an entry, or whether both have it with other values. */
    enum Which {
        FIRST,
        SECOND,
        BOTH
    }

    /** The first entry in which two projections differ. */
    public record Difference(ProjectionTable table, byte[] key, Which which) {
        @Override
        public String toString() {
            return "table " + table.tableName() + ", " + which + ": "
                    + HexFormat.of().formatHex(key);
        }
    }

    /** The first difference; null when there is none. */
    public static @Nullable Difference difference(ProjectionEnvironment a, ProjectionEnvironment b) {
        try (ReadTransaction readA = a.environment().read();
                ReadTransaction readB = b.environment().read()) {
            return difference(a.access(readA), b.access(readB), Retention.NONE);
        }
    }

    static @Nullable Difference difference(TableAccess a, TableAccess b, Retention retention) {
        for (ProjectionTable table : ProjectionTable.values()) {
            Difference difference = table.isExact() ? difference(table, a, b, retention) : null;
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    private static @Nullable Difference difference(
            ProjectionTable table, TableAccess accessA, TableAccess accessB, Retention retention) {
        Cursor<DirectBuffer> a = accessA.cursor(table);
        Cursor<DirectBuffer> b = accessB.cursor(table);
        try {
            EntryNeed needA = new EntryNeed(table, retention);
            EntryNeed needB = new EntryNeed(table, retention);
            boolean moreA = needed(a, a.first(), needA);
            boolean moreB = needed(b, b.first(), needB);
            while (moreA && moreB) {
                if (!same(a.key(), b.key())) {
                    byte[] keyA = bytes(a);
                    byte[] keyB = bytes(b);
                    return Arrays.compareUnsigned(keyA, keyB) < 0
                            ? new Difference(table, keyA, Which.FIRST)
                            : new Difference(table, keyB, Which.SECOND);
                }
                if (!same(a.val(), b.val())) {
                    return new Difference(table, bytes(a), Which.BOTH);
                }
                moreA = needed(a, a.next(), needA);
                moreB = needed(b, b.next(), needB);
            }
            if (moreA) {
                return new Difference(table, bytes(a), Which.FIRST);
            }
            return moreB ? new Difference(table, bytes(b), Which.SECOND) : null;
        } finally {
            accessA.release(table, a);
            accessB.release(table, b);
        }
    }

    private static byte[] bytes(Cursor<DirectBuffer> cursor) {
        byte[] key = new byte[cursor.key().capacity()];
        cursor.key().getBytes(0, key);
        return key;
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
