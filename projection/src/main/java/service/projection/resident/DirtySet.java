package service.projection.resident;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import service.core.batch.EntityColumn;

/**
 * The ordinals that an event has touched since the set was made, and all ordinals at or above its bound.
 *
 * <p>The writer marks an ordinal before the commit that touches it becomes visible. So a reader that sees the commit
 * sees the mark, too. Marks are never taken back; those of an aborted group only cost time. One thread marks, any
 * thread reads.
 */
final class DirtySet {
    private final AtomicLongArray words;
    private final AtomicInteger marked = new AtomicInteger();
    private final int bound;

    DirtySet(int bound) {
        this.bound = bound;
        this.words = new AtomicLongArray((bound + Long.SIZE - 1) / Long.SIZE);
    }

    static long bytes(int bound) {
        return (long) bound / Byte.SIZE + Long.BYTES;
    }

    int bound() {
        return bound;
    }

    /**
     * A set with the marks of this one and of {@code others}. It ends after the last ordinal that is not marked,
     * rounded up to whole words.
     *
     * @param others a bit for each ordinal of this set
     */
    DirtySet with(long[] others) {
        int length = words.length();
        long beyond = bound % Long.SIZE == 0 ? 0 : -1L << bound;
        while (length > 0 && (others[length - 1] | words.getPlain(length - 1) | beyond) == -1L) {
            beyond = 0;
            length--;
        }
        DirtySet both = new DirtySet(Math.min(bound, length * Long.SIZE));
        int count = 0;
        for (int i = 0; i < length; i++) {
            long word = others[i] | words.getPlain(i);
            both.words.setPlain(i, word);
            count += Long.bitCount(word);
        }
        both.marked.setRelease(count);
        return both;
    }

    void mark(int ordinal) {
        if (ordinal >= bound) {
            return;
        }
        long word = words.getPlain(ordinal >>> 6);
        long bit = 1L << ordinal;
        if ((word & bit) == 0) {
            words.setRelease(ordinal >>> 6, word | bit);
            marked.setRelease(marked.getPlain() + 1);
        }
    }

    boolean isClean(int ordinal) {
        return ordinal < bound && (words.getAcquire(ordinal >>> 6) & 1L << ordinal) == 0;
    }

    /** Whether no row is dirty, as far as that can be told fast; may be false although none is. */
    boolean areClean(EntityColumn rows, int size) {
        int min = Integer.MAX_VALUE;
        int max = -1;
        for (int i = 0; i < size; i++) {
            // A null row has any ordinal, which costs at most the slower way.
            min = Math.min(min, rows.ordinals[i]);
            max = Math.max(max, rows.ordinals[i]);
        }
        if (max >= bound || min < 0) {
            return false;
        }
        if (marked() == 0) {
            return true;
        }
        // Rows of a scan are close together, so that few words tell about all of them.
        int last = max >>> 6;
        if (last - (min >>> 6) > size) {
            return false;
        }
        long any = 0;
        for (int word = min >>> 6; word <= last; word++) {
            any |= words.getAcquire(word);
        }
        return any == 0;
    }

    /** The marks of 64 ordinals. */
    long word(int index) {
        return words.getAcquire(index);
    }

    int marked() {
        return marked.getAcquire();
    }
}
