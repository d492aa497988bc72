package service.projection.query.operator;

import java.util.Arrays;
import java.util.List;
import service.core.batch.Column;
import service.core.gq.plan.Plan;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/**
 * Collects values into a list. The list is sorted, by keys if there are any and then by the values, so the result does
 * not depend on the plan. With a limit it drops values as soon as there are twice as many as are wanted.
 */
final class CollectAccumulator extends Accumulator {
    private static final int VALUES_MIN = 4;
    private static final Value[] NONE = {};

    /** Values of a group that are kept at least before some are dropped. */
    private static final int KEPT_MIN = 64;

    private final List<Plan.SortKey> order;
    private final long limit;
    private Column[] keys = {};

    /** For each group its values; with keys, each is a list of them and the value. */
    private Value[][] lists = {};

    private int[] sizes = {};

    /** @param limit −1 for none */
    CollectAccumulator(ExecutionBudget budget, List<Plan.SortKey> order, long limit) {
        super(budget);
        this.order = order;
        this.limit = limit;
    }

    @Override
    void keys(Column[] of) {
        keys = of;
    }

    private Value entry(Value value, int row) {
        if (order.isEmpty()) {
            return value;
        }
        Value[] all = new Value[keys.length + 1];
        for (int i = 0; i < keys.length; i++) {
            all[i] = ColumnValues.value(keys[i], row);
        }
        all[keys.length] = value;
        return new Value.ListOf(List.of(all));
    }

    private int compare(Value left, Value right) {
        budget.step();
        if (order.isEmpty()) {
            return ValueOrder.compare(left, right);
        }
        List<Value> l = ((Value.ListOf) left).items();
        List<Value> r = ((Value.ListOf) right).items();
        for (int i = 0; i < l.size(); i++) {
            int by = ValueOrder.compare(l.get(i), r.get(i));
            if (by != 0) {
                return i < order.size() && order.get(i).descending() ? -by : by;
            }
        }
        return 0;
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
                Value value = entry(ColumnValues.value(values, rows[i]), rows[i]);
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
        if (limit >= 0 && size + 1 >= Math.max(KEPT_MIN, 2 * limit)) {
            sort(list, size + 1);
            for (int i = (int) limit; i <= size; i++) {
                uncharge(HeapBytes.of(list[i]));
            }
            sizes[group] = (int) limit;
        }
    }

    private void sort(Value[] list, int size) {
        Arrays.sort(list, 0, size, this::compare);
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
        sort(list, sizes[group]);
        int size = limit < 0 ? sizes[group] : (int) Math.min(limit, sizes[group]);
        Value[] kept = new Value[size];
        for (int i = 0; i < size; i++) {
            kept[i] =
                    order.isEmpty() ? list[i] : ((Value.ListOf) list[i]).items().getLast();
        }
        Value.ListOf values = new Value.ListOf(List.of(kept));
        // The column is charged for the values from now on.
        lists[group] = NONE;
        uncharge(bytes(list) + copied);
        for (int i = 0; i < sizes[group]; i++) {
            uncharge(HeapBytes.of(list[i]));
        }
        ColumnValues.set(into, row, values);
    }
}
