package service.projection.table;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import org.lmdbjava.PutFlags;
import org.lmdbjava.SeekOp;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * Puts ids into {@code ids} and takes them out, so that the table has the rows that {@link IdTable} describes after
 * each call of {@link #close}, whatever the order of the calls was. Fast for ascending ids, whose row stays open and is
 * put once. The rows of {@code ordinals} must have the ordinals of all ids concerned, and stay unchanged meanwhile. One
 * thread.
 */
final class IdWriter implements TableWriter {
    private final TableAccess access;
    private final Cursor<DirectBuffer> cursor;
    private final boolean append;

    /** The first id of the open row, and the last one. No row is between that and the next one. */
    private final KeyBuffer first;

    private final KeyBuffer last;
    private final KeyBuffer next;
    private final KeyBuffer value;
    private final UnsafeBuffer key = new UnsafeBuffer(0, 0);
    private @Nullable IdRun runs;
    private boolean isOpen;
    private boolean isStored;
    private boolean isChanged;
    private int ordinal;
    private int count;
    private boolean hasNext;
    private int nextOrdinal;
    private int nextCount;

    /** @param append whether all ids to add ascend, and are above all that are in the table */
    IdWriter(TableAccess access, boolean append) {
        this.access = access;
        this.append = append;
        this.first = access.takeKey();
        this.last = access.takeKey();
        this.next = access.takeKey();
        this.value = access.takeKey();
        this.cursor = access.cursor(ProjectionTable.IDS);
    }

    /** Adds an id, which must not be in the table. */
    @Override
    public void put(DirectBuffer idKey, DirectBuffer idOrdinal) {
        add(idKey.addressOffset(), idKey.capacity(), idOrdinal.getInt(0));
    }

    private void add(long address, int length, int ofOrdinal) {
        if (!UlidText.canStart(address + Integer.BYTES, length - Integer.BYTES)) {
            // It is not between two ULIDs, so it does not touch a run.
            end();
            put(address, length, ofOrdinal, 1, true);
            return;
        }
        if (!isOpen
                || MappedBytes.compare(address, length, last.address(), last.length()) <= 0
                || (hasNext && MappedBytes.compare(address, length, next.address(), next.length()) >= 0)) {
            end();
            open(address, length);
        }
        if (isOpen && continues(last, ordinal + count - 1, address, length, ofOrdinal)) {
            count++;
            isChanged = true;
        } else {
            putOpen();
            first.clear().putMemory(address, length);
            ordinal = ofOrdinal;
            count = 1;
            isOpen = true;
            isStored = false;
            isChanged = true;
        }
        last.clear().putMemory(address, length);
    }

    /** Whether an id and the next greater one of the table are in one row. */
    private static boolean continues(KeyBuffer id, int ofOrdinal, long address, int length, int nextOrdinal) {
        return nextOrdinal == ofOrdinal + 1
                && OrdinalRow.mayContinue(nextOrdinal)
                && MappedBytes.same(id.address(), address, Integer.BYTES)
                && UlidText.is(address + Integer.BYTES, length - Integer.BYTES)
                && UlidText.is(id.address() + Integer.BYTES, id.length() - Integer.BYTES);
    }

    /** Finds the rows between which a new id belongs, and opens the one before it; splits a row that it falls into. */
    private void open(long address, int length) {
        find(address, length);
        if (!isOpen || count == 1) {
            return;
        }
        int type = MappedBytes.keyIntAt(first.address());
        copy(run().idKey(type, ordinal + count - 1), last);
        if (MappedBytes.compare(address, length, last.address(), last.length()) > 0) {
            return;
        }
        int below = run().below(type, ordinal, count, address, length);
        copy(run().idKey(type, ordinal + below), next);
        if (next.length() == length && MappedBytes.same(next.address(), address, length)) {
            throw twice(address);
        }
        split(type, below, 0);
    }

    /** Puts what the open row has after some ordinals into a row that follows it. */
    private void split(int type, int keep, int skip) {
        hasNext = true;
        nextOrdinal = ordinal + keep + skip;
        nextCount = count - keep - skip;
        copy(run().idKey(type, nextOrdinal), next);
        put(next.address(), next.length(), nextOrdinal, nextCount, false);
        count = keep;
        isChanged = true;
        if (keep > 0) {
            copy(run().idKey(type, ordinal + keep - 1), last);
        }
    }

    /** Reads the row before a key, which is then open if it is of the same type, and the row after it. */
    private void find(long address, int length) {
        key.wrap(address, length);
        hasNext = cursor.get(key, GetOp.MDB_SET_RANGE);
        boolean found;
        if (hasNext) {
            DirectBuffer at = cursor.key();
            if (at.capacity() == length && MappedBytes.same(at.addressOffset(), address, length)) {
                throw twice(address);
            }
            next.clear().putMemory(at.addressOffset(), at.capacity());
            nextOrdinal = cursor.val().getInt(0);
            nextCount = IdRun.count(cursor.val());
            found = cursor.seek(SeekOp.MDB_PREV);
        } else {
            found = cursor.seek(SeekOp.MDB_LAST);
        }
        isOpen = found && MappedBytes.same(cursor.key().addressOffset(), address, Integer.BYTES);
        if (isOpen) {
            read();
        }
    }

    private static void copy(KeyBuffer from, KeyBuffer into) {
        into.copy(from, from.length());
    }

    private void read() {
        DirectBuffer at = cursor.key();
        first.clear().putMemory(at.addressOffset(), at.capacity());
        copy(first, last);
        ordinal = cursor.val().getInt(0);
        count = IdRun.count(cursor.val());
        isStored = true;
        isChanged = false;
    }

    private static IllegalStateException twice(long address) {
        return new IllegalStateException("an id of type " + MappedBytes.keyIntAt(address) + " would have two ordinals");
    }

    /**
     * Takes out an id.
     *
     * @param id its key, as {@link IdTable#idKey} makes it
     */
    void remove(KeyBuffer id, int ofOrdinal) {
        end();
        int type = MappedBytes.keyIntAt(id.address());
        boolean isFirst = cursor.get(id.key(), GetOp.MDB_SET_RANGE)
                && MappedBytes.same(cursor.key().addressOffset(), id.address(), id.length())
                && cursor.key().capacity() == id.length();
        if (!isFirst) {
            find(id.address(), id.length());
            cut(type, ofOrdinal);
            return;
        }
        read();
        if (count > 1) {
            split(type, 0, 1);
            access.delete(ProjectionTable.IDS, first);
            return;
        }
        access.delete(ProjectionTable.IDS, first);
        // The ids before and after it may have consecutive ordinals.
        find(id.address(), id.length());
        if (isOpen && hasNext && nextOrdinal == ordinal + count) {
            if (count > 1) {
                copy(run().idKey(type, ordinal + count - 1), last);
            }
            isChanged = true;
            end();
        }
    }

    /** Takes an ordinal out of the open row, in which it is not the first one. */
    private void cut(int type, int ofOrdinal) {
        int keep = ofOrdinal - ordinal;
        if (!isOpen || keep <= 0 || keep >= count) {
            throw new IllegalStateException("type " + type + " has no id of the ordinal " + ofOrdinal);
        }
        if (keep + 1 < count) {
            split(type, keep, 1);
        }
        count = keep;
        isChanged = true;
        putOpen();
        isOpen = false;
    }

    /** While the last id is the first one of its row, that is known without {@code ordinals}. */
    @Override
    public boolean mayEnd() {
        return !isOpen || count == 1;
    }

    private IdRun run() {
        IdRun known = runs;
        if (known == null) {
            known = new IdRun(access);
            runs = known;
        }
        return known;
    }

    /** Puts the open row, together with the next one if that continues it. */
    private void end() {
        if (isOpen
                && isChanged
                && hasNext
                && continues(last, ordinal + count - 1, next.address(), next.length(), nextOrdinal)) {
            access.delete(ProjectionTable.IDS, next);
            count += nextCount;
        }
        putOpen();
        isOpen = false;
    }

    private void putOpen() {
        if (isOpen && isChanged) {
            put(first.address(), first.length(), ordinal, count, !isStored);
            isChanged = false;
        }
    }

    private void put(long address, int length, int ofOrdinal, int ofCount, boolean isNew) {
        key.wrap(address, length);
        value.clear().putInt(Integer.reverseBytes(ofOrdinal));
        if (ofCount > 1) {
            value.putInt(Integer.reverseBytes(ofCount));
        }
        if (append && isNew) {
            cursor.put(key, value.key(), PutFlags.MDB_APPEND);
        } else {
            cursor.put(key, value.key());
        }
    }

    /** Puts what is open. */
    @Override
    public void close() {
        try {
            end();
        } finally {
            if (runs != null) {
                runs.close();
            }
            access.release(ProjectionTable.IDS, cursor);
            access.give(value);
            access.give(next);
            access.give(last);
            access.give(first);
        }
    }
}
