package service.log.lmdb;

import org.agrona.UnsafeApi;
import org.lmdbjava.Meta;

/**
 * The layout of a leaf page, from {@code mdb.c} of LMDB 0.9:
 *
 * <pre>
 *  u64 page number | u16 pad | u16 flags | u16 lower | u16 upper | u16 offset of each entry, in the order of keys …
 *  entry: u32 value length | u16 flags | u16 key length | key | value (or the number of its first overflow page)
 * </pre>
 *
 * In a read transaction a leaf is unchanged in the map until the transaction ends, and the address of a key gives the
 * page that holds it. A page or entry that does not have this form is left to LMDB. So is every page when the library
 * is not 0.9, when pages are larger than those of the operating system (a page may then begin between two multiples of
 * its size), and in a write transaction, whose changed pages are outside the map.
 */
public final class LeafPage {
    /** The bytes of an entry before its key. */
    public static final int ENTRY_HEADER = 8;

    private static final int FLAGS = 10;
    private static final int LOWER = 12;
    private static final int UPPER = 14;
    private static final int HEADER = 16;
    private static final int LEAF = 0x02;
    private static final int ENTRY_FLAGS = 4;
    private static final int KEY_LENGTH = 6;

    /** The size of the largest pages that are read; 0 when the layout is not known. */
    private static final int PAGE_BYTES_MAX =
            Meta.version().major == 0 && Meta.version().minor == 9 ? UnsafeApi.pageSize() : 0;

    private LeafPage() {}

    /**
     * The size of pages when their layout is known, else 0.
     *
     * @param pageBytes the size of a page, in a read transaction; 0 in a write transaction
     */
    static int known(int pageBytes) {
        return pageBytes <= PAGE_BYTES_MAX ? pageBytes : 0;
    }

    /** The leaf that holds the key at an address which LMDB has given; 0 when LMDB has to read it. */
    public static long of(long keyAddress, int pageBytes) {
        if (known(pageBytes) == 0) {
            return 0;
        }
        long start = keyAddress & -pageBytes;
        return u16(start + FLAGS) == LEAF
                        && u16(start + UPPER) <= keyAddress - ENTRY_HEADER - start
                        && HEADER + 2 * entries(start) <= u16(start + UPPER)
                        && index(start, keyAddress) >= 0
                ? start
                : 0;
    }

    /** The number of the entries of a leaf. */
    public static int entries(long leaf) {
        return (u16(leaf + LOWER) - HEADER) >> 1;
    }

    /** The place of the entry with the key at an address; −1 when there is none. */
    static int index(long leaf, long keyAddress) {
        int entry = (int) (keyAddress - leaf) - ENTRY_HEADER;
        int entries = entries(leaf);
        for (int i = 0; i < entries; i++) {
            if (u16(leaf + HEADER + 2L * i) == entry) {
                return i;
            }
        }
        return -1;
    }

    /** The address of an entry of a leaf; 0 when LMDB has to read it. */
    public static long entry(long leaf, int index, int pageBytes) {
        int offset = u16(leaf + HEADER + 2L * index);
        if (offset < HEADER + 2 * entries(leaf) || offset > pageBytes - ENTRY_HEADER) {
            return 0;
        }
        long entry = leaf + offset;
        int value = valueLength(entry);
        boolean isWhole = u16(entry + ENTRY_FLAGS) == 0
                && value >= 0
                && value <= pageBytes - offset - ENTRY_HEADER - keyLength(entry);
        return isWhole ? entry : 0;
    }

    /** The length of the key of an entry, which begins after the header. */
    public static int keyLength(long entry) {
        return u16(entry + KEY_LENGTH);
    }

    /** The length of the value of an entry, which begins after the key. */
    public static int valueLength(long entry) {
        return MappedBytes.intAt(entry);
    }

    private static int u16(long address) {
        return UnsafeApi.getChar(address);
    }
}
