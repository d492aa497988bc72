package service.projection.table;

import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import service.core.error.DamagedDataException;
import service.core.value.Ulid;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * Finds ids within a run of {@code ids}: ascending ULIDs of consecutive ordinals. The row has only the first of them;
 * the others are read from {@code ordinals}, at most eight rows of them. Consecutive ULIDs are found in the row that
 * was read last. One thread; nothing may be written to {@code ordinals} before it is closed.
 */
final class IdRun implements AutoCloseable {
    private final TableAccess access;
    private final KeyBuffer key;
    private final KeyBuffer idKey;
    private final Cursor<DirectBuffer> ordinals;
    private final OrdinalRow row = new OrdinalRow();
    private final byte[] ulid = new byte[Ulid.TEXT_LENGTH];

    IdRun(TableAccess access) {
        this.access = access;
        this.key = access.takeKey();
        this.idKey = access.takeKey();
        this.ordinals = access.cursor(ProjectionTable.ORDINALS);
    }

    /** The number of ordinals in a row of {@code ids} with this value. */
    static int count(DirectBuffer value) {
        return value.capacity() == Integer.BYTES ? 1 : value.getInt(Integer.BYTES);
    }

    /** The key of the id of an ordinal of a run; good until the next call. */
    KeyBuffer idKey(int type, int ordinal) {
        require(type, ordinal);
        row.idKey(ordinal, idKey, ulid);
        return idKey;
    }

    private void require(int type, int ordinal) {
        if ((!row.holds(type, ordinal) && !row.seek(ordinals, key, type, ordinal)) || !row.hasUlids()) {
            throw DamagedDataException.table("ids", "a row has the ordinal " + ordinal + ", which has no ULID", null);
        }
    }

    /**
     * The ordinal of a ULID that is not less than the first one of a run.
     *
     * @return −1 − the number of ids that are less, when the run does not have it
     */
    int find(int type, int first, int count, long high, long low) {
        int from = first;
        int to = first + count - 1;
        // Ids are mostly sought in ascending order, or consecutive: the last row tells without a search.
        int at = row.holds(type, to) || !row.holds(type, from) ? to : Math.max(from, row.first());
        while (from <= to) {
            require(type, at);
            int place = row.place(high, low);
            if (place < 0) {
                to = Math.max(row.first(), from) - 1;
            } else if (place == row.count()) {
                from = row.first() + place;
            } else {
                int ordinal = row.first() + place;
                return ordinal >= from && ordinal <= to ? ordinal : -1 - (Math.clamp(ordinal, from, to + 1) - first);
            }
            at = (from + to) >>> 1;
        }
        return -1 - (from - first);
    }

    /** The number of ids of a run that are less than the id of a key. */
    int below(int type, int first, int count, long sought, int length) {
        int from = first;
        int to = first + count;
        while (from < to) {
            int at = (from + to) >>> 1;
            KeyBuffer id = idKey(type, at);
            if (MappedBytes.compare(id.address(), id.length(), sought, length) < 0) {
                from = at + 1;
            } else {
                to = at;
            }
        }
        return from - first;
    }

    @Override
    public void close() {
        access.release(ProjectionTable.ORDINALS, ordinals);
        access.give(idKey);
        access.give(key);
    }
}
