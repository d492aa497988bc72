package service.projection.query.vector;

import java.util.Arrays;

/** Sorts row numbers by a comparator, and ordinals, without boxing. */
public final class IntSort {
    private static final int RUN = 16;

    /** Numbers sorted between two checks of the deadline. */
    private static final int AT_ONCE = 1 << 15;

    /** Bits of a digit: a number has at most three digits. */
    private static final int DIGIT_BITS = 11;

    public interface Order {
        int compare(int left, int right);
    }

    private IntSort() {}

    /**
     * Sorts numbers that are not negative in ascending order and returns the same array or another one. Many numbers
     * are sorted by radix in pieces, with a check of the deadline between pieces, which {@code Arrays.sort} has not.
     */
    public static int[] ascending(int[] numbers, ExecutionBudget budget) {
        if (numbers.length <= AT_ONCE) {
            Arrays.sort(numbers);
            return numbers;
        }
        int highest = 0;
        for (int number : numbers) {
            highest = Math.max(highest, number);
        }
        budget.charge((long) Integer.BYTES * numbers.length);
        int[] source = numbers;
        int[] target = new int[numbers.length];
        for (int shift = 0; shift < Integer.SIZE && highest >>> shift != 0; shift += DIGIT_BITS) {
            byDigit(source, target, shift, budget);
            int[] sorted = target;
            target = source;
            source = sorted;
        }
        budget.release((long) Integer.BYTES * numbers.length);
        return source;
    }

    private static void byDigit(int[] source, int[] target, int shift, ExecutionBudget budget) {
        int[] places = new int[1 << DIGIT_BITS];
        for (int from = 0; from < source.length; from += AT_ONCE) {
            budget.check();
            for (int i = from; i < Math.min(source.length, from + AT_ONCE); i++) {
                places[digit(source[i], shift)]++;
            }
        }
        int next = 0;
        for (int digit = 0; digit < places.length; digit++) {
            int count = places[digit];
            places[digit] = next;
            next += count;
        }
        for (int from = 0; from < source.length; from += AT_ONCE) {
            budget.check();
            for (int i = from; i < Math.min(source.length, from + AT_ONCE); i++) {
                target[places[digit(source[i], shift)]++] = source[i];
            }
        }
    }

    private static int digit(int number, int shift) {
        return (number >>> shift) & ((1 << DIGIT_BITS) - 1);
    }

    /** A stable merge sort of {@code rows[from .. to)}. */
    public static void sort(int[] rows, int from, int to, Order order) {
        for (int start = from; start < to; start += RUN) {
            insertion(rows, start, Math.min(to, start + RUN), order);
        }
        int[] source = rows;
        int[] target = new int[to - from];
        int sourceAt = from;
        int targetAt = 0;
        int n = to - from;
        boolean inPlace = true;
        for (int width = RUN; width < n; width *= 2) {
            for (int left = 0; left < n; left += 2 * width) {
                int middle = Math.min(n, left + width);
                int right = Math.min(n, left + 2 * width);
                merge(source, sourceAt, left, middle, right, target, targetAt, order);
            }
            int[] rowsBefore = source;
            source = target;
            target = rowsBefore;
            int atBefore = sourceAt;
            sourceAt = targetAt;
            targetAt = atBefore;
            inPlace = !inPlace;
        }
        if (!inPlace) {
            System.arraycopy(source, 0, rows, from, n);
        }
    }

    private static void insertion(int[] rows, int from, int to, Order order) {
        for (int i = from + 1; i < to; i++) {
            int row = rows[i];
            int at = i;
            while (at > from && order.compare(rows[at - 1], row) > 0) {
                rows[at] = rows[at - 1];
                at--;
            }
            rows[at] = row;
        }
    }

    private static void merge(
            int[] source, int sourceAt, int left, int middle, int right, int[] target, int targetAt, Order order) {
        int l = left;
        int r = middle;
        for (int i = left; i < right; i++) {
            boolean takeLeft =
                    l < middle && (r >= right || order.compare(source[sourceAt + l], source[sourceAt + r]) <= 0);
            target[targetAt + i] = source[sourceAt + (takeLeft ? l++ : r++)];
        }
    }
}
