package service.projection.resident;

/** Numbers that have as many bits each as the largest one needs. Immutable once published. */
final class PackedInts {
    private final int bits;
    private final long mask;

    /** One word more than there are bits for, so that each number can be read from two words. */
    private final long[] words;

    /**
     * Makes one with zeros.
     *
     * @param bound every number is from 0 to below it
     */
    PackedInts(int size, int bound) {
        bits = bits(bound);
        mask = (1L << bits) - 1;
        words = new long[(int) words(size, bits)];
    }

    /** Heap bytes of so many numbers below a bound. */
    static long bytes(long size, int bound) {
        return Long.BYTES * words(size, bits(bound));
    }

    private static int bits(int bound) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, bound - 1));
    }

    private static long words(long size, int bits) {
        return (size * bits + Long.SIZE - 1) / Long.SIZE + 1;
    }

    long bytes() {
        return (long) Long.BYTES * words.length;
    }

    /** Sets {@code size} numbers from an index on, which must be zeros. */
    void setAll(int index, int[] numbers, int size) {
        for (int i = 0; i < size; i++) {
            long bit = (long) (index + i) * bits;
            int word = (int) (bit >>> 6);
            long number = numbers[i];
            words[word] |= number << bit;
            words[word + 1] |= number >>> 1 >>> ~bit;
        }
    }

    int get(int index) {
        long bit = (long) index * bits;
        int word = (int) (bit >>> 6);
        return (int) ((words[word] >>> bit | words[word + 1] << 1 << ~bit) & mask);
    }
}
