package service.projection.table;

import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * Looks up the ordinals of many ids with one cursor. Fast for ascending keys: the cursor finds a key on the page of the
 * key before without a descent from the root, and keys between the last one sought and the next one present, such as
 * those of new entities, need no step of the cursor. Any order gives the same results.
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
            sought.copy(key, length);
            if (!atEnd) {
                DirectBuffer next = cursor.key();
                nextAddress = next.addressOffset();
                nextLength = next.capacity();
            }
        }
        boolean found = !atEnd && nextLength == length && MappedBytes.same(nextAddress, address, length);
        return found ? cursor.val().getInt(0) : -1;
    }

    private boolean isBeforeNext(KeyBuffer key) {
        return atEnd || MappedBytes.compare(key.address(), key.length(), nextAddress, nextLength) <= 0;
    }

    @Override
    public void close() {
        access.release(ProjectionTable.IDS, cursor);
        access.give(sought);
    }
}
