package service.projection.table;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import service.core.value.Sha256;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * Ids and ordinals. They are common to all branches, written once and never changed, except that a rebuild frees the
 * ordinals of entities that no readable state has.
 *
 * <pre>
 *  ids       u32 type | id, up to {@value #ID_BYTES_WHOLE} bytes                                       →  u32 ordinal
 *            u32 type | the first {@value #ID_BYTES_WHOLE} bytes | 00 | 32 bytes SHA-256 of the id     →  u32 ordinal
 *            u32 type | the first ULID of a run                              →  u32 its ordinal · u32 number of ids
 *  ordinals  u32 type | u32 ordinal                                          →  the id
 *            u32 type | u32 ordinal                                          →  u8 0 · the ULID (16)
 *            u32 type | u32 first ordinal of a run             →  u8 0 · its ULID (16) · u32 number of ordinals
 *  free      u32 type | u32 ordinal                                          →  u8 0
 * </pre>
 *
 * <p>Canonical ULIDs share rows, whether the server gave them or a user. Which rows there are depends on the ids and
 * ordinals alone, not on the order in which they came: a row of {@code ids} includes the next greater id of the type if
 * both are ULIDs, the ordinals are consecutive, and the second one is no multiple of 256. So no id sorts within the run
 * of a row that does not have it, and the rows are in the order of the ids. A row of {@code ordinals} includes the next
 * ordinal if both have ULIDs, of which the second is the successor of the first, and the second ordinal is no multiple
 * of 256. {@link IdWriter} and {@link OrdinalWriter} keep this so.
 *
 * <p>{@code free} holds the freed ordinals that are less than the greatest one in use. The smallest is assigned first.
 * The writer and a replay assign them in the same order, because they start from the same tables.
 *
 * <p>Ids hold no control characters, so the two forms of a key never coincide, and no id begins with 0. Keys are
 * big-endian, values little-endian except ULIDs.
 */
public final class IdTable {
    /** Ids longer than this are stored as a prefix and a digest, because keys of LMDB have at most 511 bytes. */
    public static final int ID_BYTES_WHOLE = 440;

    /**
     * The most ordinals of one type, those of deleted entities included: half of the range of an {@code int}, so that
     * sums and shifts of ordinals do not overflow. An insert above the bound is refused; a rebuild after a cleanup
     * frees the ordinals of deleted entities.
     */
    public static final int ORDINALS_MAX = 1 << 30;

    private static final DirectBuffer NOTHING = new UnsafeBuffer(ByteBuffer.allocateDirect(1));

    private IdTable() {}

    public static void idKey(KeyBuffer into, int type, byte[] id) {
        into.clear().putInt(type);
        if (id.length <= ID_BYTES_WHOLE) {
            into.putBytes(id, 0, id.length);
        } else {
            byte[] digest = Sha256.of(id);
            into.putBytes(id, 0, ID_BYTES_WHOLE).putByte(0).putBytes(digest, 0, digest.length);
        }
    }

    public static void idKey(KeyBuffer into, int type, DirectBuffer id, int position, int length) {
        if (length <= ID_BYTES_WHOLE) {
            into.clear().putInt(type).putBytes(id, position, length);
        } else {
            byte[] whole = new byte[length];
            id.getBytes(position, whole);
            idKey(into, type, whole);
        }
    }

    public static void ordinalKey(KeyBuffer into, int type, int ordinal) {
        into.clear().putInt(type).putInt(ordinal);
    }

    /** The ordinal of an id, live or not; −1 when the id has none. */
    public static int ordinal(TableAccess access, int type, String id) {
        byte[] utf8 = id.getBytes(StandardCharsets.UTF_8);
        KeyBuffer key = access.key();
        idKey(key, type, utf8);
        return ordinal(access, key);
    }

    /** The ordinals of many ids, live or not; −1 where an id has none. Fast if the ids ascend. */
    public static void ordinals(TableAccess access, int type, String[] ids, int size, int[] into) {
        try (IdSearch search = new IdSearch(access)) {
            for (int i = 0; i < size; i++) {
                KeyBuffer key = access.key();
                idKey(key, type, ids[i].getBytes(StandardCharsets.UTF_8));
                into[i] = search.ordinal(key);
            }
        }
    }

    /** The ordinal of an id by its key, as {@link #idKey} makes it; −1 when the id has none. */
    public static int ordinal(TableAccess access, KeyBuffer idKey) {
        DirectBuffer value = access.get(ProjectionTable.IDS, idKey);
        if (value != null) {
            return value.getInt(0);
        }
        if (!UlidText.is(idKey.address() + Integer.BYTES, idKey.length() - Integer.BYTES)) {
            return -1;
        }
        try (IdSearch search = new IdSearch(access)) {
            return search.ordinal(idKey);
        }
    }

    /** The bytes of the id, valid until the next get; null for an ordinal that is not assigned. */
    public static @Nullable DirectBuffer id(TableAccess access, int type, int ordinal) {
        KeyBuffer key = access.key();
        ordinalKey(key, type, ordinal);
        DirectBuffer value = access.get(ProjectionTable.ORDINALS, key);
        if (value != null && OrdinalRow.isText(value)) {
            return value;
        }
        OrdinalRow row = new OrdinalRow();
        if (value != null) {
            row.read(key.address(), value.addressOffset(), value.capacity());
            return access.id(row, ordinal);
        }
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.ORDINALS);
        try {
            return row.seek(cursor, key, type, ordinal) ? access.id(row, ordinal) : null;
        } finally {
            access.release(ProjectionTable.ORDINALS, cursor);
        }
    }

    public static String idText(TableAccess access, int type, int ordinal) {
        DirectBuffer id = id(access, type, ordinal);
        if (id == null) {
            throw new IllegalStateException("type " + type + " has no ordinal " + ordinal);
        }
        byte[] utf8 = new byte[id.capacity()];
        id.getBytes(0, utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /** One above the greatest ordinal assigned of the type. Ordinals below it are assigned or in {@code free}. */
    public static int ordinalBound(TableAccess access, int type) {
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.ORDINALS);
        try {
            OrdinalRow last = new OrdinalRow();
            return last.floor(cursor, access.key(), type, -1) ? last.first() + last.count() : 0;
        } finally {
            access.release(ProjectionTable.ORDINALS, cursor);
        }
    }

    /** Removes the smallest free ordinal of the type from {@code free} and returns it; −1 when there is none. */
    public static int takeFree(TableAccess access, int type) {
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.FREE);
        int ordinal = -1;
        try {
            if (cursor.get(access.key().putInt(type).key(), GetOp.MDB_SET_RANGE)) {
                long key = cursor.key().addressOffset();
                if (MappedBytes.keyIntAt(key) == type) {
                    ordinal = MappedBytes.keyIntAt(key + Integer.BYTES);
                }
            }
        } finally {
            access.release(ProjectionTable.FREE, cursor);
        }
        if (ordinal >= 0) {
            KeyBuffer key = access.key();
            ordinalKey(key, type, ordinal);
            access.delete(ProjectionTable.FREE, key);
        }
        return ordinal;
    }

    /**
     * Deletes an id and frees its ordinal, so that another entity can get it.
     *
     * @param belowBound whether a greater ordinal of the type is in use
     */
    public static void giveBack(TableAccess access, int type, int ordinal, boolean belowBound) {
        DirectBuffer id = id(access, type, ordinal);
        if (id == null) {
            throw new IllegalStateException("type " + type + " has no ordinal " + ordinal);
        }
        KeyBuffer idKey = access.takeKey();
        idKey(idKey, type, id, 0, id.capacity());
        try (IdWriter ids = new IdWriter(access, false)) {
            ids.remove(idKey, ordinal);
        }
        access.give(idKey);
        try (OrdinalWriter ordinals = new OrdinalWriter(access, false)) {
            ordinals.remove(type, ordinal);
        }
        if (belowBound) {
            KeyBuffer key = access.key();
            ordinalKey(key, type, ordinal);
            access.put(ProjectionTable.FREE, key.key(), NOTHING);
        }
    }
}
