package service.projection.storage;

import java.util.Arrays;
import java.util.HexFormat;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.ReadTransaction;
import service.log.retain.Retention;
import service.projection.retain.EntryNeed;
import service.projection.table.AppliedTable;
import service.projection.table.EntryCursor;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

/**
 * Compares two projections entry by entry and byte by byte, whatever rows hold the entries: one of the two may have an
 * earlier layout. Skips entries that no readable state needs, because a sweep may have deleted them from one of the
 * two.
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
        try (EntryCursor a = accessA.entryCursor(table);
                EntryCursor b = accessB.entryCursor(table)) {
            EntryNeed needA = new EntryNeed(table, retention);
            EntryNeed needB = new EntryNeed(table, retention);
            boolean moreA = needed(a, a.first(), needA);
            boolean moreB = needed(b, b.first(), needB);
            while (moreA && moreB) {
                if (!same(a.key(), b.key())) {
                    byte[] keyA = bytes(a.key());
                    byte[] keyB = bytes(b.key());
                    return Arrays.compareUnsigned(keyA, keyB) < 0
                            ? new Difference(table, keyA, Which.FIRST)
                            : new Difference(table, keyB, Which.SECOND);
                }
                if (!same(a.value(), b.value()) && !isSameOffset(table, a, b)) {
                    return new Difference(table, bytes(a.key()), Which.BOTH);
                }
                moreA = needed(a, a.next(), needA);
                moreB = needed(b, b.next(), needB);
            }
            if (moreA) {
                return new Difference(table, bytes(a.key()), Which.FIRST);
            }
            return moreB ? new Difference(table, bytes(b.key()), Which.SECOND) : null;
        }
    }

    /** Whether the entries differ only in the version of the layout. */
    private static boolean isSameOffset(ProjectionTable table, EntryCursor a, EntryCursor b) {
        byte[] key = bytes(a.key());
        if (table != ProjectionTable.APPLIED || !AppliedTable.isOffset(key, key.length)) {
            return false;
        }
        byte[] valueA = bytes(a.value());
        byte[] valueB = bytes(b.value());
        AppliedTable.pack(valueA);
        AppliedTable.pack(valueB);
        return Arrays.equals(valueA, valueB);
    }

    private static byte[] bytes(DirectBuffer buffer) {
        byte[] bytes = new byte[buffer.capacity()];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    /** Moves to the first needed entry from the current one on; false at the end. */
    private static boolean needed(EntryCursor cursor, boolean found, EntryNeed need) {
        boolean standing = found;
        while (standing && !need.test(cursor.key(), cursor.value())) {
            standing = cursor.next();
        }
        return standing;
    }

    private static boolean same(DirectBuffer a, DirectBuffer b) {
        return a.capacity() == b.capacity() && MappedBytes.same(a.addressOffset(), b.addressOffset(), a.capacity());
    }
}
