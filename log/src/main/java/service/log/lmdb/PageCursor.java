package service.log.lmdb;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import org.lmdbjava.Meta;

/**
 * A cursor that walks the entries of a leaf page in Java and calls LMDB twice per page instead of once per entry. In a
 * read transaction a leaf is unchanged in the map until the transaction ends, and the address of a key gives the page
 * that holds it. The layout of a leaf, from {@code mdb.c} of LMDB 0.9:
 *
 * <pre>
 *  u64 page number | u16 pad | u16 flags | u16 lower | u16 upper | u16 offset of each entry, in the order of keys …
 *  entry: u32 value length | u16 flags | u16 key length | key | value (or the number of its first overflow page)
 * </pre>
 *
 * A page or entry that does not have this form is left to LMDB. So is every step when the library is not 0.9, when
 * pages are larger than those of the operating system (a page may then begin between two multiples of its size), and in
 * a write transaction, whose changed pages are outside the map.
 *
 * <p>Addresses are valid until the transaction ends. One thread.
 */
public final class PageCursor {
    private static final int FLAGS = 10;
    private static final int LOWER = 12;
    private static final int UPPER = 14;
    private static final int HEADER = 16;
    private static final int LEAF = 0x02;

    /** The bytes that the processor fetches at once. */
    private static final int LINE_BYTES = 64;

    private static final int ENTRY_FLAGS = 4;
    private static final int KEY_LENGTH = 6;
    private static final int ENTRY_HEADER = 8;

    /** The size of the largest pages that are walked; 0 when the layout is not known. */
    private static final int PAGE_BYTES_MAX =
            Meta.version().major == 0 && Meta.version().minor == 9 ? UnsafeApi.pageSize() : 0;

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
        this.pageBytes = walked(pageBytes);
    }

    private static int walked(int pageBytes) {
        return pageBytes <= PAGE_BYTES_MAX ? pageBytes : 0;
    }

    /** Resets this object for another cursor. */
    public void again(Cursor<DirectBuffer> nextCursor, int nextPageBytes) {
        cursor = nextCursor;
        pageBytes = walked(nextPageBytes);
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
        if (pageBytes == 0) {
            return false;
        }
        long start = keyAddress & -pageBytes;
        int entry = (int) (keyAddress - start) - ENTRY_HEADER;
        int entries = (u16(start + LOWER) - HEADER) >> 1;
        if (u16(start + FLAGS) == LEAF && u16(start + UPPER) <= entry && HEADER + 2 * entries <= u16(start + UPPER)) {
            for (int i = 0; i < entries; i++) {
                if (u16(start + HEADER + 2L * i) == entry) {
                    page = start;
                    index = i;
                    count = entries;
                    moved = false;
                    return true;
                }
            }
        }
        return false;
    }

    /** Reads an entry of the page; false, without a change, when LMDB has to read it. */
    private boolean take(int i) {
        int offset = u16(page + HEADER + 2L * i);
        if (offset < HEADER + 2 * count || offset > pageBytes - ENTRY_HEADER) {
            return false;
        }
        long entry = page + offset;
        int key = u16(entry + KEY_LENGTH);
        int value = MappedBytes.intAt(entry);
        if (u16(entry + ENTRY_FLAGS) != 0 || value < 0 || value > pageBytes - offset - ENTRY_HEADER - key) {
            return false;
        }
        keyAddress = entry + ENTRY_HEADER;
        keyLength = key;
        valueAddress = keyAddress + key;
        valueLength = value;
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

    private static int u16(long address) {
        return UnsafeApi.getChar(address);
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
