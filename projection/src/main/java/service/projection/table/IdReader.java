package service.projection.table;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import service.core.value.Ulid;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.LeafPage;
import service.log.lmdb.MappedBytes;

/**
 * Reads the ids of many ordinals in one read transaction, in any order. It remembers which leaf has which ordinals, and
 * finds an ordinal on a leaf it knows without a call of LMDB, which takes five times as long. Holds 192 KiB. One
 * thread, until the transaction ends.
 */
public final class IdReader {
    /** A slot stands for so many ordinals, fewer than a leaf has; as a power of two. */
    private static final int ORDINALS_OF_A_SLOT = 5;

    private static final int SLOTS = 1 << 14;
    private static final int KEY_BYTES = 2 * Integer.BYTES;

    private final TableAccess access;
    private final int pageBytes;

    /** The leaf that has the first ordinal of a slot, or one of a slot of other ordinals, or 0. */
    private final long[] leaves = new long[SLOTS];

    /** The first ordinal of each of these leaves. */
    private final int[] firsts = new int[SLOTS];

    /** The row that was read last. */
    private final OrdinalRow row = new OrdinalRow();

    private final UnsafeBuffer id = new UnsafeBuffer(0, 0);
    private final byte[] ulid = new byte[Ulid.TEXT_LENGTH];

    /** A reader that knows no leaf. */
    public IdReader(TableAccess access) {
        this.access = access;
        this.pageBytes = access.pageBytes();
    }

    /** The bytes of the id, valid until the next call; null for an ordinal that is not assigned. */
    public @Nullable DirectBuffer id(int type, int ordinal) {
        if (row.hasUlids() && row.holds(type, ordinal)) {
            row.id(ordinal, id, ulid);
            return id;
        }
        int group = ordinal >>> ORDINALS_OF_A_SLOT;
        // The leaf with the first ordinal of the group, unless a later leaf begins before this ordinal.
        if (find(slot(type, group), type, ordinal) || find(slot(type, group + 1), type, ordinal)) {
            return id;
        }
        return read(type, ordinal);
    }

    private @Nullable DirectBuffer read(int type, int ordinal) {
        KeyBuffer key = access.key();
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.ORDINALS);
        try {
            if (!row.seek(cursor, key, type, ordinal)) {
                return null;
            }
            remember(LeafPage.of(cursor.key().addressOffset(), pageBytes), type);
            row.id(ordinal, id, ulid);
            return id;
        } finally {
            access.release(ProjectionTable.ORDINALS, cursor);
        }
    }

    private static int slot(int type, int group) {
        return (group + type * 0x9E3779B9) & (SLOTS - 1);
    }

    /** Whether the leaf of the slot has the ordinal, whose id is then wrapped. */
    private boolean find(int slot, int type, int ordinal) {
        long leaf = leaves[slot];
        if (leaf == 0) {
            return false;
        }
        // An ordinal is where the first one says, or before that when ordinals between them were freed or share a row.
        int high = Math.min(ordinal - firsts[slot], LeafPage.entries(leaf) - 1);
        long before = 0;
        for (int low = 0, at = high; low <= high; at = (low + high) >>> 1) {
            long entry = LeafPage.entry(leaf, at, pageBytes);
            if (entry == 0 || typeOf(entry) != type) {
                return false;
            }
            int found = ordinalOf(entry);
            if (found <= ordinal) {
                before = entry;
                low = at + 1;
            }
            if (found >= ordinal) {
                high = at - 1;
            }
        }
        if (before == 0) {
            return false;
        }
        read(before);
        if (!row.holds(type, ordinal)) {
            return false;
        }
        row.id(ordinal, id, ulid);
        return true;
    }

    private void read(long entry) {
        long key = entry + LeafPage.ENTRY_HEADER;
        row.read(key, key + KEY_BYTES, LeafPage.valueLength(entry));
    }

    /** Puts a leaf into the slots whose first ordinals it has, if LMDB need not read its ends. */
    private void remember(long leaf, int type) {
        if (leaf == 0) {
            return;
        }
        long first = LeafPage.entry(leaf, 0, pageBytes);
        long last = LeafPage.entry(leaf, LeafPage.entries(leaf) - 1, pageBytes);
        if (first == 0 || last == 0 || typeOf(first) != type || typeOf(last) != type) {
            return;
        }
        int from = (ordinalOf(first) + (1 << ORDINALS_OF_A_SLOT) - 1) >>> ORDINALS_OF_A_SLOT;
        int to = (ordinalOf(last) + countOf(last) - 1) >>> ORDINALS_OF_A_SLOT;
        for (int group = Math.max(from, to - SLOTS + 1); group <= to; group++) {
            int slot = slot(type, group);
            leaves[slot] = leaf;
            firsts[slot] = ordinalOf(first);
        }
    }

    private static int typeOf(long entry) {
        return MappedBytes.keyIntAt(entry + LeafPage.ENTRY_HEADER);
    }

    private static int countOf(long entry) {
        return OrdinalRow.count(entry + LeafPage.ENTRY_HEADER + KEY_BYTES, LeafPage.valueLength(entry));
    }

    private static int ordinalOf(long entry) {
        return MappedBytes.keyIntAt(entry + LeafPage.ENTRY_HEADER + Integer.BYTES);
    }
}
