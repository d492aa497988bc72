package service.projection.table;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import org.lmdbjava.SeekOp;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * Looks up the ordinals of many ids with one cursor. Fast for ascending keys: the cursor finds a key on the page of the
 * key before without a descent from the root, and keys between the last one sought and the next one present, such as
 * those of new entities, need no step of the cursor. Any order gives the same results. So do the ids within runs, whose
 * row is the one before the next key.
 *
 * <p>One thread. Nothing may be written to the table before it is closed.
 */
public final class IdSearch implements AutoCloseable {
    private final TableAccess access;
    private final Cursor<DirectBuffer> cursor;

    /** The key that was sought last: no key is present from it up to the cursor's key. */
    private final KeyBuffer sought;

    private boolean moved;
    private boolean atEnd;
    private long nextAddress;
    private int nextLength;
    private int nextOrdinal;

    /** What is read in the row before the next key, once it is needed. */
    private boolean isBeforeKnown;

    private int beforeType;
    private int beforeOrdinal;
    private int beforeCount;
    private @Nullable IdRun run;

    /** A search in the state that the access reads. */
    public IdSearch(TableAccess access) {
        this.access = access;
        this.sought = access.takeKey();
        this.cursor = access.cursor(ProjectionTable.IDS);
    }

    /**
     * The ordinal of an id, live or not; −1 when it has none.
     *
     * @param key of the ids table, as {@link IdTable#idKey} makes it
     */
    public int ordinal(KeyBuffer key) {
        long address = key.address();
        int length = key.length();
        if (!moved
                || MappedBytes.compare(address, length, sought.address(), sought.length()) < 0
                || !isBeforeNext(key)) {
            atEnd = !cursor.get(key.key(), GetOp.MDB_SET_RANGE);
            moved = true;
            isBeforeKnown = false;
            sought.copy(key, length);
            if (!atEnd) {
                DirectBuffer next = cursor.key();
                nextAddress = next.addressOffset();
                nextLength = next.capacity();
                nextOrdinal = cursor.val().getInt(0);
            }
        }
        if (!atEnd && nextLength == length && MappedBytes.same(nextAddress, address, length)) {
            return nextOrdinal;
        }
        return UlidText.is(address + Integer.BYTES, length - Integer.BYTES) ? inRun(address) : -1;
    }

    /** The ordinal of a ULID in the row before the next key; −1 when it is not in that. */
    private int inRun(long address) {
        if (!isBeforeKnown) {
            boolean found = cursor.seek(atEnd ? SeekOp.MDB_LAST : SeekOp.MDB_PREV);
            beforeType = found ? MappedBytes.keyIntAt(cursor.key().addressOffset()) : -1;
            beforeOrdinal = found ? cursor.val().getInt(0) : -1;
            beforeCount = found ? IdRun.count(cursor.val()) : 0;
            isBeforeKnown = true;
        }
        int type = MappedBytes.keyIntAt(address);
        if (beforeCount < 2 || beforeType != type) {
            return -1;
        }
        IdRun known = run;
        if (known == null) {
            known = new IdRun(access);
            run = known;
        }
        long id = address + Integer.BYTES;
        return Math.max(-1, known.find(type, beforeOrdinal, beforeCount, UlidText.high(id), UlidText.low(id)));
    }

    private boolean isBeforeNext(KeyBuffer key) {
        return atEnd || MappedBytes.compare(key.address(), key.length(), nextAddress, nextLength) <= 0;
    }

    @Override
    public void close() {
        if (run != null) {
            run.close();
        }
        access.release(ProjectionTable.IDS, cursor);
        access.give(sought);
    }
}
