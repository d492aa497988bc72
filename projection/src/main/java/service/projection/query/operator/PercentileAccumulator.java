package service.projection.query.operator;

import java.util.Arrays;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.value.HeapBytes;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/**
 * The value at a place among the values in their order, between two of them by interpolation. It keeps all values,
 * eight bytes each, and finds those at the place without sorting the others, in time linear in their number.
 */
final class PercentileAccumulator extends Accumulator {
    private static final int VALUES_MIN = 4;

    /** Values that are looked at in one unit of work. */
    private static final int VALUES_A_STEP = 16;

    private static final double[] NONE = {};

    private final double fraction;
    private double[][] lists = {};
    private int[] sizes = {};

    /** @param fraction from 0 to 1; NaN for a null, which gives null */
    PercentileAccumulator(ExecutionBudget budget, double fraction) {
        super(budget);
        this.fraction = fraction;
    }

    @Override
    int bytesPerGroup() {
        return HeapBytes.REFERENCE + Integer.BYTES;
    }

    @Override
    void grow(int groups) {
        int before = lists.length;
        lists = Arrays.copyOf(lists, groups);
        Arrays.fill(lists, before, groups, NONE);
        sizes = Arrays.copyOf(sizes, groups);
    }

    @Override
    void add(int[] groups, Column values, int[] rows, int n) {
        for (int i = 0; i < n; i++) {
            if (!values.isNull(rows[i])) {
                add(groups[rows[i]], ColumnValues.real(values, rows[i]));
            }
        }
    }

    private void add(int group, double value) {
        double[] list = lists[group];
        int size = sizes[group]++;
        if (size == list.length) {
            int room = size == 0 ? VALUES_MIN : HeapBytes.room(size + 1);
            charge(HeapBytes.array(room, Double.BYTES));
            lists[group] = Arrays.copyOf(list, room);
            uncharge(list.length == 0 ? 0 : HeapBytes.array(list.length, Double.BYTES));
        }
        lists[group][size] = value;
    }

    @Override
    void result(int group, Column into, int row) {
        int size = sizes[group];
        if (size == 0 || Double.isNaN(fraction)) {
            into.setNull(row);
            return;
        }
        double[] list = lists[group];
        double place = fraction * (size - 1);
        int below = (int) place;
        double low = select(list, size, below);
        double value = low;
        if (place > below) {
            // The values after the place are not less than the one at it.
            double high = list[below + 1];
            for (int i = below + 2; i < size; i++) {
                step(i);
                high = Math.min(high, list[i]);
            }
            double share = place - below;
            // Not low + (high - low) * share, which may overflow.
            value = low * (1 - share) + high * share;
        }
        ((DoubleColumn) into).values[row] = value;
    }

    private void step(int at) {
        if (at % VALUES_A_STEP == 0) {
            budget.step();
        }
    }

    /** The value at a place in the order; afterwards no value after the place is less than it. */
    private double select(double[] list, int size, int place) {
        int from = 0;
        int to = size - 1;
        while (from < to) {
            double pivot = middle(list[from], list[(from + to) >>> 1], list[to]);
            int left = from;
            int right = to;
            while (left <= right) {
                while (list[left] < pivot) {
                    step(left++);
                }
                while (list[right] > pivot) {
                    step(right--);
                }
                if (left <= right) {
                    double swapped = list[left];
                    list[left] = list[right];
                    list[right] = swapped;
                    step(left++);
                    right--;
                }
            }
            if (place <= right) {
                to = right;
            } else if (place >= left) {
                from = left;
            } else {
                return list[place];
            }
        }
        return list[place];
    }

    private static double middle(double a, double b, double c) {
        return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    }
}
