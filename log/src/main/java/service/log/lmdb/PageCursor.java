package service.log.lmdb;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;

/**
 * A cursor that walks the entries of a leaf page in Java and calls LMDB twice per page instead of once per entry. Each
 * step on a page or entry that is left to LMDB ({@link LeafPage}) is one of its cursor.
 *
 * <p>Addresses are valid until the transaction ends. One thread.
 */
public final class PageCursor {
    /** The bytes that the processor fetches at once. */
    private static final int LINE_BYTES = 64;

    private final UnsafeBuffer standing = new UnsafeBuffer(0, 0);

    private Cursor<DirectBuffer> cursor;
    private int pageBytes;

    /** The leaf that is walked; 0 while this is at the position of the LMDB cursor and the leaf was not read. */
    private long page;

    private int index;
    private int count;
    private boolean moved;

    /** Takes what {@link #fetch} reads, because the compiler leaves out a read without a use. */
    @SuppressWarnings("UnusedVariable")
    private long fetched;

    private long keyAddress;
    private int keyLength;
    private long valueAddress;
    private int valueLength;

    /**
     * A cursor that stands nowhere.
     *
     * @param pageBytes the size of a page, in a read transaction; 0 in a write transaction
     */
    public PageCursor(Cursor<DirectBuffer> cursor, int pageBytes) {
        this.cursor = cursor;
        this.pageBytes = LeafPage.known(pageBytes);
    }

    /** Resets this object for another cursor. */
    public void again(Cursor<DirectBuffer> nextCursor, int nextPageBytes) {
        cursor = nextCursor;
        pageBytes = LeafPage.known(nextPageBytes);
        page = 0;
    }

    /** Goes to the first entry at or above a key; false when there is none. */
    public boolean seek(KeyBuffer key) {
        return at(cursor.get(key.key(), GetOp.MDB_SET_RANGE));
    }

    /** Goes to the next entry; false at the end of the table. Only while this stands on an entry. */
    public boolean next() {
        if (page == 0 && !enter()) {
            return at(cursor.next());
        }
        if (index + 1 < count && take(index + 1)) {
            index++;
            moved = true;
            return true;
        }
        if (moved) {
            standing.wrap(keyAddress, keyLength);
            if (!cursor.get(standing, GetOp.MDB_SET_KEY)) {
                throw new IllegalStateException("the entry on which a cursor stands is gone");
            }
        }
        boolean found = at(cursor.next());
        if (found) {
            fetch(keyAddress & -pageBytes);
        }
        return found;
    }

    /**
     * Reads a byte of each cache line of the page that a walk has come to. The entries of a page are placed from its
     * end to its beginning, and a processor does not foresee that: a walk over a log larger than the caches waited for
     * almost every line, one after the other. These reads depend on nothing, so the processor makes many at once.
     */
    private void fetch(long start) {
        long sum = 0;
        for (int at = 0; at < pageBytes; at += LINE_BYTES) {
            sum += UnsafeApi.getByte(start + at);
        }
        fetched = sum;
    }

    /** Whether the entry on which the cursor of LMDB stands is found on a leaf, which is walked from now on. */
    private boolean enter() {
        long leaf = LeafPage.of(keyAddress, pageBytes);
        if (leaf == 0) {
            return false;
        }
        page = leaf;
        index = LeafPage.index(leaf, keyAddress);
        count = LeafPage.entries(leaf);
        moved = false;
        return true;
    }

    /** Reads an entry of the page; false, without a change, when LMDB has to read it. */
    private boolean take(int i) {
        long entry = LeafPage.entry(page, i, pageBytes);
        if (entry == 0) {
            return false;
        }
        keyAddress = entry + LeafPage.ENTRY_HEADER;
        keyLength = LeafPage.keyLength(entry);
        valueAddress = keyAddress + keyLength;
        valueLength = LeafPage.valueLength(entry);
        return true;
    }

    private boolean at(boolean found) {
        page = 0;
        if (found) {
            DirectBuffer key = cursor.key();
            keyAddress = key.addressOffset();
            keyLength = key.capacity();
            DirectBuffer value = cursor.val();
            valueAddress = value.addressOffset();
            valueLength = value.capacity();
        }
        return found;
    }

    public long keyAddress() {
        return keyAddress;
    }

    public int keyLength() {
        return keyLength;
    }

    public long valueAddress() {
        return valueAddress;
    }

    public int valueLength() {
        return valueLength;
    }

    /** The cursor of LMDB, which may stand on an earlier entry; its owner releases it. */
    public Cursor<DirectBuffer> cursor() {
        return cursor;
    }
}
