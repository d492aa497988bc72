package service.projection.apply;

import java.util.Arrays;
import service.projection.temporal.MappedBytes;

/**
 * Sorts keys that lie in memory, by merging; runs already in order cost one comparison. The keys
 * must not move meanwhile.
 */
final class KeyOrder {
    private final long[] addresses;
    private final int[] lengths;
    private final int[] numbers;
    private final int[] others;
    private int size;

    KeyOrder(int capacity) {
        addresses = new long[capacity];
        lengths = new int[capacity];
        numbers = new int[capacity];
        others = new int[capacity];
    }

    void add(long address, int length) {
        addresses[size] = address;
        lengths[size] = length;
        numbers[size] = size++;
    }

    int[] sorted() {
        sort(0, size);
        return Arrays.copyOf(numbers, size);
    }

    private void sort(int from, int to) {
        if (to - from < 2) {
            return;
        }
        int middle = (from + to) >>> 1;
        sort(from, middle);
        sort(middle, to);
        if (order(numbers[middle - 1], numbers[middle]) <= 0) {
            return;
        }
        int length = middle - from;
        System.arraycopy(numbers, from, others, 0, length);
        int left = 0;
        int right = middle;
        int at = from;
        while (left < length && right < to) {
            numbers[at++] =
                    order(others[left], numbers[right]) <= 0 ? others[left++] : numbers[right++];
        }
        System.arraycopy(others, left, numbers, at, length - left);
    }

    private int order(int a, int b) {
        return MappedBytes.compare(addresses[a], lengths[a], addresses[b], lengths[b]);
    }
}
