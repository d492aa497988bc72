package service.projection.table;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import org.lmdbjava.SeekOp;
import service.core.value.Ulid;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * A row of {@code ordinals}, which holds the id of one ordinal, or a run: consecutive ULIDs of consecutive ordinals.
 * See {@link IdTable} for the layout. A row of ULIDs stays known when its transaction writes; that of a text is lost.
 * One thread.
 */
final class OrdinalRow {
    /** A row begins at each multiple of this, so that a run has at most so many ordinals. */
    static final int RUN = 256;

    /** The first byte of a ULID's value; no id begins with it. */
    private static final byte ULID = 0;

    private static final int HIGH = 1;
    private static final int LOW = HIGH + Long.BYTES;
    private static final int COUNT = LOW + Long.BYTES;
    private static final int LENGTH_MAX = COUNT + Integer.BYTES;

    private int type;
    private int first;
    private int count;
    private boolean ulids;
    private long high;
    private long low;
    private long text;
    private int textLength;

    /** Whether the value of a row is a text, which is the id. */
    static boolean isText(DirectBuffer value) {
        return value.capacity() == 0 || value.getByte(0) != ULID;
    }

    /** Whether the ordinal after another one may be in the same row of either table. */
    static boolean mayContinue(int ordinal) {
        return ordinal % RUN != 0;
    }

    /** Makes the value of a row of ULIDs. */
    static DirectBuffer value(KeyBuffer into, long high, long low, int count) {
        into.clear().putByte(ULID).putLong(high).putLong(low);
        return (count == 1 ? into : into.putInt(Integer.reverseBytes(count))).key();
    }

    /** The number of ordinals of a row by its value. */
    static int count(long value, int length) {
        return length == LENGTH_MAX && MappedBytes.byteAt(value) == ULID ? MappedBytes.intAt(value + COUNT) : 1;
    }

    /** Reads the row that the key and value at these addresses are. */
    void read(long key, long value, int length) {
        type = MappedBytes.keyIntAt(key);
        first = MappedBytes.keyIntAt(key + Integer.BYTES);
        ulids = length > 0 && MappedBytes.byteAt(value) == ULID;
        count = count(value, length);
        if (ulids) {
            high = MappedBytes.keyLongAt(value + HIGH);
            low = MappedBytes.keyLongAt(value + LOW);
        } else {
            text = value;
            textLength = length;
        }
    }

    /** Forgets the row. */
    void clear() {
        count = 0;
    }

    void read(Cursor<DirectBuffer> cursor) {
        DirectBuffer value = cursor.val();
        read(cursor.key().addressOffset(), value.addressOffset(), value.capacity());
    }

    /** Reads the row that begins at the ordinal or last before it; false when the type has none. */
    boolean floor(Cursor<DirectBuffer> cursor, KeyBuffer key, int ofType, int ordinal) {
        IdTable.ordinalKey(key, ofType, ordinal);
        boolean found;
        if (cursor.get(key.key(), GetOp.MDB_SET_RANGE)) {
            found = MappedBytes.same(cursor.key().addressOffset(), key.address(), key.length())
                    || cursor.seek(SeekOp.MDB_PREV);
        } else {
            found = cursor.seek(SeekOp.MDB_LAST);
        }
        if (!found || MappedBytes.keyIntAt(cursor.key().addressOffset()) != ofType) {
            count = 0;
            return false;
        }
        read(cursor);
        return true;
    }

    /** Reads the row of an ordinal; false when the ordinal is not assigned. */
    boolean seek(Cursor<DirectBuffer> cursor, KeyBuffer key, int ofType, int ordinal) {
        return floor(cursor, key, ofType, ordinal) && holds(ofType, ordinal);
    }

    /** Whether the row that was read last has the ordinal. */
    boolean holds(int ofType, int ordinal) {
        return type == ofType && ordinal >= first && ordinal - first < count;
    }

    int type() {
        return type;
    }

    int first() {
        return first;
    }

    /** The number of ordinals; 0 before the first read. */
    int count() {
        return count;
    }

    boolean hasUlids() {
        return ulids;
    }

    /** The upper half of the id of an ordinal of the row. */
    long high(int ordinal) {
        // The lower half of an id in a run may have passed over.
        return Long.compareUnsigned(low(ordinal), low) < 0 ? high + 1 : high;
    }

    /** The lower half of the id of an ordinal of the row. */
    long low(int ordinal) {
        return low + (ordinal - first);
    }

    /** Where a ULID is in a row of ULIDs: −1 before it, its place in it, or {@link #count} after it. */
    int place(long ofHigh, long ofLow) {
        int byHigh = Long.compareUnsigned(ofHigh, high);
        if (byHigh < 0 || (byHigh == 0 && Long.compareUnsigned(ofLow, low) < 0)) {
            return -1;
        }
        long distance = ofLow - low;
        long over = ofHigh - high - (Long.compareUnsigned(ofLow, low) < 0 ? 1 : 0);
        return over == 0 && Long.compareUnsigned(distance, count) < 0 ? (int) distance : count;
    }

    /**
     * Shows the id of an ordinal of the row.
     *
     * @param into shows the id until the transaction writes, or {@code ulid} is used again
     * @param ulid takes the text of a ULID
     */
    void id(int ordinal, UnsafeBuffer into, byte[] ulid) {
        if (ulids) {
            Ulid.putText(high(ordinal), low(ordinal), ulid, 0);
            into.wrap(ulid, 0, Ulid.TEXT_LENGTH);
        } else {
            into.wrap(text, textLength);
        }
    }

    /** Makes the key that the ULID of an ordinal of the row has in {@code ids}. */
    void idKey(int ordinal, KeyBuffer into, byte[] ulid) {
        Ulid.putText(high(ordinal), low(ordinal), ulid, 0);
        into.clear().putInt(type).putBytes(ulid, 0, Ulid.TEXT_LENGTH);
    }
}
