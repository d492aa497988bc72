package service.projection.table;

import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import org.lmdbjava.PutFlags;
import org.lmdbjava.SeekOp;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * Puts ids into {@code ordinals} and takes them out, so that the table has the rows that {@link IdTable} describes
 * after each call of {@link #close}, whatever the order of the calls was. Fast for ascending ordinals, whose row stays
 * open and is put once. One thread.
 */
final class OrdinalWriter implements TableWriter {
    private final TableAccess access;
    private final Cursor<DirectBuffer> cursor;
    private final boolean append;
    private final KeyBuffer key;
    private final KeyBuffer value;
    private final OrdinalRow found = new OrdinalRow();
    private boolean isOpen;
    private boolean isStored;
    private boolean isChanged;
    private int type;
    private int first;
    private int count;
    private long high;
    private long low;

    /** The ordinals of the type from the open row on, up to this one, are not assigned. */
    private int nextOrdinal;

    /** @param append whether all ordinals to add ascend, and are above all that are in the table */
    OrdinalWriter(TableAccess access, boolean append) {
        this.access = access;
        this.append = append;
        this.key = access.takeKey();
        this.value = access.takeKey();
        this.cursor = access.cursor(ProjectionTable.ORDINALS);
    }

    /** Adds an ordinal, which must not be in the table. */
    @Override
    public void put(DirectBuffer ordinalKey, DirectBuffer id) {
        long keyAddress = ordinalKey.addressOffset();
        int ofType = MappedBytes.keyIntAt(keyAddress);
        int ordinal = MappedBytes.keyIntAt(keyAddress + Integer.BYTES);
        long address = id.addressOffset();
        if (!UlidText.is(address, id.capacity())) {
            end();
            IdTable.ordinalKey(key, ofType, ordinal);
            putRow(id, true);
            return;
        }
        if (!isOpen || ofType != type || ordinal < first + count || ordinal >= nextOrdinal) {
            end();
            open(ofType, ordinal);
        }
        long idHigh = UlidText.high(address);
        long idLow = UlidText.low(address);
        if (isOpen && continues(ordinal, idHigh, idLow)) {
            count++;
        } else {
            putOpen();
            begin(ofType, ordinal, 1, idHigh, idLow);
            isOpen = true;
            isStored = false;
        }
        isChanged = true;
    }

    /** Whether an ordinal with a ULID continues the open row. */
    private boolean continues(int ordinal, long idHigh, long idLow) {
        return ordinal == first + count
                && OrdinalRow.mayContinue(ordinal)
                && idLow == low + count
                && idHigh == (Long.compareUnsigned(idLow, low) < 0 ? high + 1 : high);
    }

    private void begin(int ofType, int ordinal, int ordinals, long idHigh, long idLow) {
        type = ofType;
        first = ordinal;
        count = ordinals;
        high = idHigh;
        low = idLow;
    }

    /** Opens the row before an ordinal if it is one of ULIDs. */
    private void open(int ofType, int ordinal) {
        nextOrdinal = Integer.MAX_VALUE;
        found.clear();
        IdTable.ordinalKey(key, ofType, ordinal);
        boolean before;
        if (cursor.get(key.key(), GetOp.MDB_SET_RANGE)) {
            long at = cursor.key().addressOffset();
            if (MappedBytes.keyIntAt(at) == ofType) {
                nextOrdinal = MappedBytes.keyIntAt(at + Integer.BYTES);
            }
            before = cursor.seek(SeekOp.MDB_PREV);
        } else {
            before = cursor.seek(SeekOp.MDB_LAST);
        }
        if (before && MappedBytes.keyIntAt(cursor.key().addressOffset()) == ofType) {
            found.read(cursor);
        }
        if (nextOrdinal == ordinal || found.holds(ofType, ordinal)) {
            throw new IllegalStateException("the ordinal " + ordinal + " of type " + ofType + " would have two ids");
        }
        if (found.count() > 0 && found.hasUlids()) {
            begin(ofType, found.first(), found.count(), found.high(found.first()), found.low(found.first()));
            isOpen = true;
            isStored = true;
            isChanged = false;
        }
    }

    /** Takes out an ordinal. */
    void remove(int ofType, int ordinal) {
        end();
        if (!found.seek(cursor, key, ofType, ordinal)) {
            throw new IllegalStateException("type " + ofType + " has no ordinal " + ordinal);
        }
        int before = ordinal - found.first();
        int after = found.count() - before - 1;
        if (before > 0) {
            putPart(ofType, found.first(), before);
        } else {
            IdTable.ordinalKey(key, ofType, ordinal);
            access.delete(ProjectionTable.ORDINALS, key);
        }
        if (after > 0) {
            putPart(ofType, ordinal + 1, after);
        }
    }

    private void putPart(int ofType, int ordinal, int ordinals) {
        begin(ofType, ordinal, ordinals, found.high(ordinal), found.low(ordinal));
        isStored = true;
        isOpen = true;
        isChanged = true;
        putOpen();
        isOpen = false;
    }

    /** Puts the open row, together with the next one if that continues it. */
    private void end() {
        if (isOpen && isChanged && first + count == nextOrdinal && found.floor(cursor, key, type, nextOrdinal)) {
            int ordinal = nextOrdinal;
            if (found.hasUlids() && continues(ordinal, found.high(ordinal), found.low(ordinal))) {
                count += found.count();
                IdTable.ordinalKey(key, type, ordinal);
                access.delete(ProjectionTable.ORDINALS, key);
            }
        }
        putOpen();
        isOpen = false;
    }

    private void putOpen() {
        if (isOpen && isChanged) {
            IdTable.ordinalKey(key, type, first);
            putRow(OrdinalRow.value(value, high, low, count), !isStored);
            isChanged = false;
        }
    }

    private void putRow(DirectBuffer bytes, boolean isNew) {
        if (append && isNew) {
            cursor.put(key.key(), bytes, PutFlags.MDB_APPEND);
        } else {
            cursor.put(key.key(), bytes);
        }
    }

    /** Puts what is open. */
    @Override
    public void close() {
        try {
            end();
        } finally {
            access.release(ProjectionTable.ORDINALS, cursor);
            access.give(value);
            access.give(key);
        }
    }
}
