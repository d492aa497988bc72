package service.projection.resident;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

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

    /** The marks of 64 ordinals. */
    long word(int index) {
        return words.getAcquire(index);
    }

    int marked() {
        return marked.getAcquire();
    }
}
