package service.projection.resident;

import java.util.function.IntToLongFunction;

/**
 * Estimates how many of many values are different: each sets a bit that its hash names, and the share of bits that
 * stays clear gives the number (linear counting, Whang et al. 1990). Within a few per cent up to a million different
 * values; above, the result is too low.
 */
final class DistinctCount {
    private static final int BITS = 18;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private DistinctCount() {}

    static long of(int size, IntToLongFunction values) {
        if (size == 0) {
            return 0;
        }
        long[] seen = new long[1 << (BITS - 6)];
        for (int i = 0; i < size; i++) {
            long mixed = values.applyAsLong(i) * SPREAD;
            int bit = (int) (((mixed ^ (mixed >>> 32)) * SPREAD) >>> (Long.SIZE - BITS));
            seen[bit >>> 6] |= 1L << bit;
        }
        int set = 0;
        for (long word : seen) {
            set += Long.bitCount(word);
        }
        double all = 1 << BITS;
        double clear = Math.max(1, all - set);
        return Math.clamp(Math.round(-all * Math.log(clear / all)), 1L, (long) size);
    }
}
