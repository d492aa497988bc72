package service.projection.table;

import java.util.Arrays;
import service.log.lmdb.MappedBytes;

/**
 * Sorts keys in off-heap memory; the sort is stable. The keys must not move during the sort.
 *
 * <p>Keys of a table share long prefixes (the type, the time in a ULID), so comparing whole keys is expensive. Instead,
 * each level skips the common prefix of a range of keys, reads the next eight bytes of each key as a number, sorts by
 * these numbers, and sorts ranges of equal numbers on the next level. Every key is read about twice. Large ranges are
 * sorted by radix, from the lowest byte that differs, small ones by merging.
 */
public final class KeyOrder {
    /** From this size on counting bytes costs less than merging. */
    private static final int RADIX_MIN = 2_048;

    private static final int VALUES = 1 << Byte.SIZE;

    private final long[] addresses;
    private final int[] lengths;
    private final int[] numbers;
    private final long[] words;
    private final int[] otherNumbers;
    private final long[] otherWords;
    private int size;

    public KeyOrder(int capacity) {
        addresses = new long[capacity];
        lengths = new int[capacity];
        numbers = new int[capacity];
        words = new long[capacity];
        otherNumbers = new int[capacity];
        otherWords = new long[capacity];
    }

    public void add(long address, int length) {
        addresses[size] = address;
        lengths[size] = length;
        numbers[size] = size++;
    }

    /** The key numbers, assigned by {@link #add} from 0, in key order. */
    public int[] sorted() {
        sort(0, size, 0);
        return numbers;
    }

    private void sort(int from, int to, int depth) {
        if (inOrder(from, to)) {
            return;
        }
        int skipped = common(from, to, depth);
        int longestRead = 0;
        for (int i = from; i < to; i++) {
            int number = numbers[i];
            words[i] = word(addresses[number] + skipped, lengths[number] - skipped);
            longestRead = Math.max(longestRead, lengths[number] - skipped);
        }
        if (to - from >= RADIX_MIN) {
            radix(from, to);
        } else {
            merge(from, to);
        }
        boolean wholeRead = longestRead <= Long.BYTES;
        for (int start = from; start < to; ) {
            int end = start + 1;
            while (end < to && words[end] == words[start]) {
                end++;
            }
            if (end - start > 1) {
                if (wholeRead || anyEnds(start, end, skipped + Long.BYTES)) {
                    insert(start, end);
                } else {
                    sort(start, end, skipped + Long.BYTES);
                }
            }
            start = end;
        }
    }

    private boolean inOrder(int from, int to) {
        for (int i = from + 1; i < to; i++) {
            if (order(numbers[i - 1], numbers[i]) > 0) {
                return false;
            }
        }
        return true;
    }

    /** Length of the common prefix of the keys of a range, at least {@code depth}. */
    private int common(int from, int to, int depth) {
        long first = addresses[numbers[from]];
        int common = lengths[numbers[from]];
        for (int i = from + 1; i < to && common > depth; i++) {
            long other = addresses[numbers[i]];
            common = Math.min(common, lengths[numbers[i]]);
            int same = depth;
            while (same < common && MappedBytes.byteAt(first + same) == MappedBytes.byteAt(other + same)) {
                same++;
            }
            common = same;
        }
        return common;
    }

    private boolean anyEnds(int from, int to, int depth) {
        for (int i = from; i < to; i++) {
            if (lengths[numbers[i]] <= depth) {
                return true;
            }
        }
        return false;
    }

    /** The next eight bytes as a number with the same order, padded with zeros after the end of the key. */
    private static long word(long address, int length) {
        if (length >= Long.BYTES) {
            return MappedBytes.keyLongAt(address) ^ Long.MIN_VALUE;
        }
        long word = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            word = word << Byte.SIZE | (i < length ? MappedBytes.byteAt(address + i) & 0xFF : 0);
        }
        return word ^ Long.MIN_VALUE;
    }

    /** Sorts by one byte of the words after the other, the lowest first, except those in which no two words differ. */
    private void radix(int from, int to) {
        int[][] counts = new int[Long.BYTES][VALUES];
        for (int i = from; i < to; i++) {
            long word = words[i] ^ Long.MIN_VALUE;
            for (int place = 0; place < Long.BYTES; place++) {
                counts[place][(int) (word >>> (place * Byte.SIZE)) & 0xFF]++;
            }
        }
        for (int place = 0; place < Long.BYTES; place++) {
            int shift = place * Byte.SIZE;
            int[] starts = counts[place];
            int first = (int) ((words[from] ^ Long.MIN_VALUE) >>> shift) & 0xFF;
            if (starts[first] < to - from) {
                distribute(from, to, shift, starts);
            }
        }
    }

    private void distribute(int from, int to, int shift, int[] starts) {
        int length = to - from;
        System.arraycopy(words, from, otherWords, 0, length);
        System.arraycopy(numbers, from, otherNumbers, 0, length);
        int start = from;
        for (int value = 0; value < VALUES; value++) {
            int count = starts[value];
            starts[value] = start;
            start += count;
        }
        for (int i = 0; i < length; i++) {
            long word = otherWords[i];
            int at = starts[(int) ((word ^ Long.MIN_VALUE) >>> shift) & 0xFF]++;
            words[at] = word;
            numbers[at] = otherNumbers[i];
        }
    }

    private void merge(int from, int to) {
        if (to - from < 2) {
            return;
        }
        int middle = (from + to) >>> 1;
        merge(from, middle);
        merge(middle, to);
        if (words[middle - 1] <= words[middle]) {
            return;
        }
        int length = middle - from;
        System.arraycopy(words, from, otherWords, 0, length);
        System.arraycopy(numbers, from, otherNumbers, 0, length);
        int left = 0;
        int right = middle;
        int at = from;
        while (left < length && right < to) {
            if (otherWords[left] <= words[right]) {
                words[at] = otherWords[left];
                numbers[at++] = otherNumbers[left++];
            } else {
                words[at] = words[right];
                numbers[at++] = numbers[right++];
            }
        }
        System.arraycopy(otherWords, left, words, at, length - left);
        System.arraycopy(otherNumbers, left, numbers, at, length - left);
    }

    /** Compares the few keys of which one is a prefix of another. */
    private void insert(int from, int to) {
        Integer[] stretch = new Integer[to - from];
        for (int i = from; i < to; i++) {
            stretch[i - from] = numbers[i];
        }
        Arrays.sort(stretch, this::order);
        for (int i = from; i < to; i++) {
            numbers[i] = stretch[i - from];
        }
    }

    private int order(int a, int b) {
        return MappedBytes.compare(addresses[a], lengths[a], addresses[b], lengths[b]);
    }
}
