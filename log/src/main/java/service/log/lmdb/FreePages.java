package service.log.lmdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * The pages of a data file that its newest commit lists as free, read from the file without mapping it. LMDB never
 * writes a page that is allocated and freed within one transaction, so a sound file may be shorter than its number of
 * pages says, by pages that are free.
 *
 * <p>The list is a tree like that of a table: its keys are transaction numbers, its values a count and that many page
 * numbers of 8 bytes, all little-endian.
 */
final class FreePages {
    private static final int HEADER = 16;
    private static final int FLAGS_AT = 10;
    private static final int LOWER_AT = 12;
    private static final int NODE = 8;
    private static final int BRANCH = 0x01;
    private static final int LEAF = 0x02;
    private static final int OVERFLOW = 0x04;

    /** Flag of a node whose value is the number of an overflow page. */
    private static final int BIG = 0x01;

    private static final int DEPTH_MAX = 32;

    private final DataFile file;
    private final DataFile.Meta meta;
    private final long first;
    private final BitSet found = new BitSet();

    private FreePages(DataFile file, DataFile.Meta meta, long first) {
        this.file = file;
        this.meta = meta;
        this.first = first;
    }

    /**
     * Whether every page from the given one to the last one is free.
     *
     * @throws IOException when the list itself cannot be read, because the file ends before it or it is damaged
     */
    static boolean areAllFrom(long first, DataFile file, DataFile.Meta meta) throws IOException {
        long count = meta.lastPage() + 1 - first;
        return count <= Integer.MAX_VALUE && from(first, file, meta).cardinality() == count;
    }

    /**
     * The free pages from the given one on.
     *
     * @return the bit i is page {@code first + i}; empty when there are more pages than a set has bits
     * @throws IOException as {@link #areAllFrom}
     */
    static BitSet from(long first, DataFile file, DataFile.Meta meta) throws IOException {
        FreePages pages = new FreePages(file, meta, first);
        if (meta.freeRoot() >= 0 && meta.lastPage() - first < Integer.MAX_VALUE) {
            pages.walk(meta.freeRoot(), 0);
        }
        return pages.found;
    }

    private void walk(long page, int depth) throws IOException {
        ByteBuffer bytes = file.read(page * meta.pageBytes(), meta.pageBytes());
        int flags = Short.toUnsignedInt(bytes.getShort(FLAGS_AT));
        int nodes = (Short.toUnsignedInt(bytes.getShort(LOWER_AT)) - HEADER) / Short.BYTES;
        boolean branch = (flags & BRANCH) != 0;
        if (bytes.getLong(0) != page
                || branch == ((flags & LEAF) != 0)
                || nodes < 0
                || HEADER + nodes * Short.BYTES > meta.pageBytes()
                || depth > DEPTH_MAX) {
            throw damaged(page);
        }
        for (int i = 0; i < nodes; i++) {
            int at = Short.toUnsignedInt(bytes.getShort(HEADER + i * Short.BYTES));
            if (at < HEADER || at + NODE > meta.pageBytes()) {
                throw damaged(page);
            }
            if (branch) {
                long high = Short.toUnsignedLong(bytes.getShort(at + Integer.BYTES));
                walk(Integer.toUnsignedLong(bytes.getInt(at)) | (high << 32), depth + 1);
            } else {
                leaf(bytes, page, at);
            }
        }
    }

    private void leaf(ByteBuffer bytes, long page, int at) throws IOException {
        int length = bytes.getInt(at);
        int flags = Short.toUnsignedInt(bytes.getShort(at + 4));
        int value = at + NODE + Short.toUnsignedInt(bytes.getShort(at + 6));
        if (length < Long.BYTES || length % Long.BYTES != 0 || value + Long.BYTES > meta.pageBytes()) {
            throw damaged(page);
        }
        if ((flags & BIG) == 0) {
            if (value + length > meta.pageBytes()) {
                throw damaged(page);
            }
            take(bytes.position(value).slice().order(bytes.order()), length, page);
            return;
        }
        long overflow = bytes.getLong(value);
        ByteBuffer big = file.read(overflow * meta.pageBytes(), HEADER + length);
        if (big.getLong(0) != overflow || (Short.toUnsignedInt(big.getShort(FLAGS_AT)) & OVERFLOW) == 0) {
            throw damaged(overflow);
        }
        take(big.position(HEADER).slice().order(big.order()), length, overflow);
    }

    private void take(ByteBuffer list, int length, long page) throws IOException {
        long count = list.getLong(0);
        if (count < 0 || count >= length / Long.BYTES) {
            throw damaged(page);
        }
        for (int i = 1; i <= count; i++) {
            long free = list.getLong(i * Long.BYTES);
            if (free >= first && free <= meta.lastPage()) {
                found.set((int) (free - first));
            }
        }
    }

    private static IOException damaged(long page) {
        return new IOException("page " + page + " is no page of the list of free pages");
    }
}
