package service.projection.query.operator;

import java.util.Arrays;
import java.util.List;
import service.core.batch.Column;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** Collects values into a list. The list is sorted, so the result does not depend on the plan. */
final class CollectAccumulator extends Accumulator {
    private static final int VALUES_MIN = 4;
    private static final Value[] NONE = {};

    private Value[][] lists = {};
    private int[] sizes = {};

    CollectAccumulator(ExecutionBudget budget) {
        super(budget);
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
                Value value = ColumnValues.value(values, rows[i]);
                budget.step();
                charge(HeapBytes.of(value));
                add(groups[rows[i]], value);
            }
        }
    }

    private void add(int group, Value value) {
        Value[] list = lists[group];
        int size = sizes[group]++;
        if (size == list.length) {
            int room = size == 0 ? VALUES_MIN : HeapBytes.room(size + 1);
            charge(HeapBytes.references(room));
            lists[group] = Arrays.copyOf(list, room);
            uncharge(bytes(list));
            list = lists[group];
        }
        list[size] = value;
    }

    private static long bytes(Value[] list) {
        return list.length == 0 ? 0 : HeapBytes.references(list.length);
    }

    @Override
    void result(int group, Column into, int row) {
        Value[] list = lists[group];
        // Sorting takes room for half of the list; then it is copied twice, once for a moment.
        long copied = 2 * HeapBytes.references(sizes[group]);
        charge(copied);
        Arrays.sort(list, 0, sizes[group], (a, b) -> {
            budget.step();
            return ValueOrder.compare(a, b);
        });
        Value.ListOf values = new Value.ListOf(List.of(Arrays.copyOf(list, sizes[group])));
        // The column is charged for the values from now on.
        lists[group] = NONE;
        uncharge(bytes(list) + copied);
        for (Value value : values.items()) {
            uncharge(HeapBytes.of(value));
        }
        ColumnValues.set(into, row, values);
    }
}
