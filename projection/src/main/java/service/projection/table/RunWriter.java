package service.projection.table;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import org.lmdbjava.PutFlags;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * Puts entries into the runs of {@link AdjacencyTable}, in the order of keys, and removes some. Reads each run once and
 * writes it once, divided where it became too long. What is put after all runs fills runs and pages.
 *
 * <p>{@link #begin}, then {@link #put} and {@link #remove} in ascending order of keys, then {@link #close}; between
 * these the table must not be used otherwise. Then this can begin again, because its buffers are expensive to allocate.
 * One thread.
 */
final class RunWriter implements TableWriter {
    private static final int MARGIN = AdjacencyEntry.BYTES_BEFORE;
    private static final int ROOM =
            AdjacencyTable.RUN_BYTES_MAX + AdjacencyEntry.BYTES_MAX + AdjacencyEntry.BYTES_AFTER;

    private final UnsafeBuffer oldRun = new UnsafeBuffer(ByteBuffer.allocateDirect(MARGIN + ROOM));
    private final UnsafeBuffer newRun = new UnsafeBuffer(ByteBuffer.allocateDirect(MARGIN + ROOM));
    private final UnsafeBuffer value = new UnsafeBuffer(0, 0);

    /** The key of the run that is changed, above all its entries. */
    private final KeyBuffer bound = new KeyBuffer();

    private final KeyBuffer key = new KeyBuffer();
    private final KeyBuffer lastKey = new KeyBuffer();

    /** The entry of the old run that was not taken yet. */
    private final AdjacencyEntry old = new AdjacencyEntry();

    private final AdjacencyEntry given = new AdjacencyEntry();

    /** The last entry of the new run. */
    private final AdjacencyEntry last = new AdjacencyEntry();

    private final AdjacencyEntry beforeLast = new AdjacencyEntry();

    private @Nullable TableAccess access;
    private @Nullable Cursor<DirectBuffer> cursor;
    private ProjectionTable table = ProjectionTable.OUT;
    private boolean fills;
    private boolean open;
    private boolean hasOld;
    private boolean isStored;
    private boolean appends;
    private long oldAt;
    private long oldEnd;
    private long newAt;

    /** Where the last entry of the new run begins. */
    private long lastAt;

    private int target;

    RunWriter() {}

    private long oldStart() {
        return oldRun.addressOffset() + MARGIN;
    }

    private long newStart() {
        return newRun.addressOffset() + MARGIN;
    }

    /**
     * Begins to write a table.
     *
     * @param many whether many entries may come into one run
     */
    RunWriter begin(TableAccess to, ProjectionTable into, boolean many) {
        access = to;
        table = into;
        cursor = to.cursor(into);
        fills = many;
        open = false;
        return this;
    }

    /** Puts an entry, or replaces the one with its key. */
    @Override
    public void put(DirectBuffer entryKey, DirectBuffer entryValue) {
        upTo(entryKey);
        given.live = entryValue.getByte(0) != 0;
        if (newAt > newStart() && given.compare(last) == 0) {
            given.write(lastAt, beforeLast);
            last.set(given);
            return;
        }
        takeOldUpToGiven();
        add(given);
    }

    /** Removes the entry with a key, if there is one. */
    void remove(DirectBuffer entryKey) {
        upTo(entryKey);
        takeOldUpToGiven();
    }

    /** Writes the last run. */
    @Override
    public void close() {
        if (open) {
            closeRun();
        }
        Objects.requireNonNull(access, "after begin").release(table, cursor());
        cursor = null;
        access = null;
    }

    private Cursor<DirectBuffer> cursor() {
        return Objects.requireNonNull(cursor, "after begin");
    }

    /** Opens the run of a key. */
    private void upTo(DirectBuffer entryKey) {
        if (entryKey.capacity() != AdjacencyTable.KEY_BYTES) {
            throw new IllegalArgumentException("a key of " + entryKey.capacity() + " bytes");
        }
        long keyAddress = entryKey.addressOffset();
        if (open && MappedBytes.compare(keyAddress, AdjacencyTable.KEY_BYTES, bound.address(), bound.length()) >= 0) {
            closeRun();
        }
        if (!open) {
            open(keyAddress);
        }
        given.key(keyAddress);
    }

    private void open(long keyAddress) {
        // The first key above this one.
        key.clear().putMemory(keyAddress, AdjacencyTable.KEY_BYTES).putByte(0);
        Cursor<DirectBuffer> at = cursor();
        isStored = at.get(key.key(), GetOp.MDB_SET_RANGE);
        old.clear();
        last.clear();
        newAt = newStart();
        oldAt = oldStart();
        oldEnd = oldAt;
        if (isStored) {
            DirectBuffer found = at.key();
            bound.clear().putMemory(found.addressOffset(), found.capacity());
            DirectBuffer run = at.val();
            oldRun.putBytes(MARGIN, run, 0, run.capacity());
            oldEnd += run.capacity();
        } else {
            bound.clear().putByte(AdjacencyTable.END);
        }
        appends = bound.length() == 1 && MappedBytes.byteAt(bound.address()) == (byte) AdjacencyTable.END;
        int length = (int) (oldEnd - oldAt) + AdjacencyEntry.BYTES_MAX;
        // A run between others that one more entry makes too long is halved, so that there is room for the next ones.
        boolean halves = !fills && !appends && length > AdjacencyTable.RUN_BYTES_MAX;
        target = halves ? length / 2 : AdjacencyTable.RUN_BYTES_MAX;
        nextOld();
        open = true;
    }

    private void nextOld() {
        hasOld = oldAt < oldEnd;
        if (hasOld) {
            oldAt = old.read(oldAt);
            if (oldAt > oldEnd) {
                throw AdjacencyTable.damaged();
            }
        }
    }

    private void takeOldUpToGiven() {
        int order = -1;
        while (hasOld && (order = old.compare(given)) < 0) {
            add(old);
            nextOld();
        }
        if (order == 0) {
            nextOld();
        }
    }

    private void add(AdjacencyEntry entry) {
        if (newAt > newStart() && entry.compare(last) <= 0) {
            throw new IllegalStateException("entries that do not ascend");
        }
        long next = entry.write(newAt, last);
        if (next - newStart() > target && newAt > newStart()) {
            if (appends && isStored) {
                // The last run is put again after those that are appended.
                remove();
            }
            entry.putKey(key);
            last.putKey(lastKey);
            write(key.truncate(firstDifference() + 1));
            last.clear();
            next = entry.write(newStart(), last);
        }
        lastAt = newAt;
        newAt = next;
        beforeLast.set(last);
        last.set(entry);
    }

    private int firstDifference() {
        int i = 0;
        while (MappedBytes.byteAt(key.address() + i) == MappedBytes.byteAt(lastKey.address() + i)) {
            i++;
        }
        return i;
    }

    private void remove() {
        if (cursor().get(bound.key(), GetOp.MDB_SET_KEY)) {
            cursor().delete();
        }
        isStored = false;
    }

    private void write(KeyBuffer under) {
        value.wrap(newRun, MARGIN, (int) (newAt - newStart()));
        if (appends && !isStored) {
            cursor().put(under.key(), value, PutFlags.MDB_APPEND);
        } else {
            cursor().put(under.key(), value);
        }
        newAt = newStart();
    }

    private void closeRun() {
        while (hasOld) {
            add(old);
            nextOld();
        }
        if (newAt > newStart()) {
            write(bound);
        } else if (isStored) {
            remove();
        }
        open = false;
    }
}
