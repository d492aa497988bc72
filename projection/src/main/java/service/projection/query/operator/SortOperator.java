package service.projection.query.operator;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.IntSort;
import service.projection.query.vector.RowStore;

/**
 * Sort and TopN. Rows are kept as columns, and only row numbers are sorted. The first key is also kept as an
 * order-preserving 64-bit prefix, which decides most comparisons. Rows with equal keys are ordered by the ids of their
 * bound entities, then by further columns; ids of other rows are never fetched. TopN sorts and truncates when it holds
 * twice the rows that are needed, and drops a row that comes after the last row kept. A TopN of each group does so when
 * it holds twice the rows that it kept before ({@link GroupTops}).
 */
public final class SortOperator extends Operator {
    private static final int TOP_ROWS_MIN = 4096;

    /** Steps of work for fetching one row. */
    private static final int ROW_STEPS = 8;

    /** Bytes a row for the prefix and the merge buffer. */
    private static final long SORT_BYTES_A_ROW = Integer.BYTES + (long) Long.BYTES;

    /** The same for the ids of a tie: the id's place, the tied rows, their order and the merge buffer. */
    private static final long TIE_BYTES_A_ROW = HeapBytes.REFERENCE + 3L * Integer.BYTES;

    private final ExecutionBudget budget;
    private final List<Node.Key> keys;
    private final List<Integer> tieSlots;
    private final List<Integer> lastColumns;
    private final long keep;

    /** The groups of a TopN of each group; null for one group. */
    private final @Nullable GroupTops groups;

    private final int[] live;
    private final Operator next;
    private final Batch out;
    private RowStore rows;

    /** The last row kept by a full TopN: a new row must come before it. −1 while TopN is not full. */
    private int threshold = -1;

    /**
     * @param keep rows that are needed, of all or of each group, or −1 for all
     * @param down reads the tie slots as well
     */
    public SortOperator(Node.Sort node, long keep, Downstream down) {
        this.budget = down.budget();
        this.keys = node.keys();
        this.tieSlots = node.tieSlots();
        this.lastColumns = node.lastColumns();
        this.keep = keep;
        this.live = down.slots();
        this.next = down.next();
        this.out = down.batch();
        this.rows = new RowStore(budget, live);
        this.groups = keep < 0 || node.per().isEmpty() ? null : new GroupTops(budget, node.per(), keep);
    }

    @Override
    public boolean push(Batch batch) {
        if (keep == 0) {
            return false;
        }
        if (groups != null) {
            pushToGroups(batch, groups);
            return true;
        }
        if (threshold < 0) {
            rows.append(batch);
        } else {
            for (int row = 0; row < batch.size; row++) {
                if (!isBeaten(batch, row, threshold)) {
                    rows.append(batch, row);
                }
            }
        }
        budget.check();
        if (keep > 0 && rows.size() >= Math.max(TOP_ROWS_MIN, 2 * keep)) {
            truncate();
        }
        return true;
    }

    private void pushToGroups(Batch batch, GroupTops tops) {
        int[] numbers = tops.number(batch);
        for (int row = 0; row < batch.size; row++) {
            int last = tops.last(numbers[row]);
            if (last < 0 || !isBeaten(batch, row, last)) {
                tops.add(rows.size(), numbers[row]);
                rows.append(batch, row);
            }
        }
        budget.check();
        if (rows.size() >= Math.max(TOP_ROWS_MIN, 2L * tops.kept())) {
            truncate();
        }
    }

    /**
     * Whether rows whose first key is at that number or after it in the order cannot be among those needed. The first
     * key is a number of 64 bits.
     */
    boolean isSettled(long number) {
        if (!isFull()) {
            return false;
        }
        if (threshold < 0 || rows.size() > keep) {
            truncate();
        }
        Column column = rows.column(live.length + keys.getFirst().column(), threshold);
        int place = RowStore.place(threshold);
        if (column.isNull(place)) {
            return false;
        }
        long last = ((LongColumn) column).values[place];
        return keys.getFirst().descending() ? last > number : last < number;
    }

    /** Whether it holds all rows that are needed, so that no row whose first key comes later can be among them. */
    boolean isFull() {
        return keep > 0 && groups == null && rows.size() >= keep;
    }

    /** Whether a row comes after a kept one, by the keys alone. */
    private boolean isBeaten(Batch batch, int row, int other) {
        for (Node.Key key : keys) {
            Column kept = rows.column(live.length + key.column(), other);
            int order = compare(batch.computed[key.column()], row, kept, RowStore.place(other));
            if (order != 0) {
                return key.descending() ? order < 0 : order > 0;
            }
        }
        return false;
    }

    private void truncate() {
        int[] sorted = sorted();
        int[] first = groups == null ? sorted : groups.first(sorted);
        int n = wanted(first.length);
        RowStore best = new RowStore(budget, live);
        Batch one = new Batch(budget, maxSlot() + 1);
        one.computed = rows.computedSiblings();
        for (int i = 0; i < n; i++) {
            budget.steps(ROW_STEPS);
            one.clear(live);
            Arrays.stream(one.computed).forEach(column -> column.reset(1));
            rows.copyTo(first[i], one, 0);
            one.size = 1;
            best.append(one, 0);
        }
        rows.clear();
        budget.release(orderBytes(sorted.length));
        rows = best;
        threshold = groups == null && n == keep ? n - 1 : -1;
    }

    /** How many of the first rows in the order are needed; groups have their own first rows. */
    private int wanted(int size) {
        return keep < 0 || groups != null ? size : (int) Math.min(keep, size);
    }

    private int maxSlot() {
        return Arrays.stream(live).max().orElse(-1);
    }

    private static long orderBytes(int rows) {
        return HeapBytes.array(rows, Integer.BYTES);
    }

    /** The row numbers in their order; the caller releases {@link #orderBytes}. */
    private int[] sorted() {
        int n = rows.size();
        budget.charge(orderBytes(n));
        budget.charge(SORT_BYTES_A_ROW * n);
        int[] order = new int[n];
        for (int i = 0; i < n; i++) {
            order[i] = i;
        }
        if (!keys.isEmpty()) {
            long[] prefixes = prefixes(n);
            boolean down = keys.getFirst().descending();
            IntSort.sort(order, 0, n, (l, r) -> {
                budget.step();
                int byPrefix = Long.compareUnsigned(prefixes[l], prefixes[r]);
                return byPrefix == 0 ? compareKeys(l, r) : down ? -byPrefix : byPrefix;
            });
        }
        if (!tieSlots.isEmpty() || !lastColumns.isEmpty()) {
            breakTies(order);
        }
        budget.release(SORT_BYTES_A_ROW * n);
        return order;
    }

    private int compareKeys(int left, int right) {
        for (Node.Key key : keys) {
            int index = live.length + key.column();
            int order = compare(
                    rows.column(index, left), RowStore.place(left), rows.column(index, right), RowStore.place(right));
            if (order != 0) {
                return key.descending() ? -order : order;
            }
        }
        return 0;
    }

    /** Compares two values: nulls first, entities by their ids, also within lists, records and paths. */
    private int compare(Column left, int l, Column right, int r) {
        boolean leftNull = left.isNull(l);
        if (leftNull || right.isNull(r)) {
            return Boolean.compare(right.isNull(r), leftNull);
        }
        if (left instanceof EntityColumn a && right instanceof EntityColumn b) {
            return compareEntities(
                    new Value.Entity(a.types[l], a.ordinals[l]), new Value.Entity(b.types[r], b.ordinals[r]));
        }
        if (left instanceof ValueColumn || right instanceof ValueColumn) {
            return ValueOrder.compare(ColumnValues.value(left, l), ColumnValues.value(right, r), this::compareEntities);
        }
        if (left instanceof TextColumn a && right instanceof TextColumn b) {
            budget.bytes(Math.min(a.lengths[l], b.lengths[r]));
        }
        return ColumnValues.compare(left, l, right, r);
    }

    private int compareEntities(Value.Entity left, Value.Entity right) {
        if (left.equals(right)) {
            return 0;
        }
        budget.steps(ROW_STEPS);
        int byId = ValueOrder.compareText(
                budget.view.id(left.type(), left.ordinal()), budget.view.id(right.type(), right.ordinal()));
        return byId != 0 ? byId : ValueOrder.compare(left, right);
    }

    /** Unsigned prefixes of the first key: two prefixes that differ order the rows as the keys do. 0 for null. */
    private long[] prefixes(int n) {
        long[] prefixes = new long[n];
        int index = live.length + keys.getFirst().column();
        for (int row = 0; row < n; row++) {
            budget.step();
            Column column = rows.column(index, row);
            int place = RowStore.place(row);
            if (!column.isNull(place)) {
                prefixes[row] = prefix(column, place);
            }
        }
        return prefixes;
    }

    /** 64 bits of a value that is not null: when those of two values differ, they order the values, unsigned. */
    static long prefix(Column column, int row) {
        return switch (column) {
            case LongColumn c -> c.kind == LongColumn.Kind.UINT ? c.values[row] : c.values[row] ^ Long.MIN_VALUE;
            case DoubleColumn c -> prefix(c.values[row]);
            case BoolColumn c -> c.values[row] ? 1 : 0;
            case TextColumn c -> {
                long bytes = 0;
                for (int i = 0; i < Long.BYTES; i++) {
                    bytes <<= 8;
                    bytes |= i < c.lengths[row] ? c.bytes[c.starts[row] + i] & 0xFF : 0;
                }
                yield bytes;
            }
            default -> 0;
        };
    }

    static long prefix(double number) {
        long bits = Double.doubleToRawLongBits(number + 0.0);
        return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
    }

    private void breakTies(int[] order) {
        int wanted = wanted(order.length);
        for (int from = 0; from < wanted; ) {
            int to = from + 1;
            while (to < order.length && compareKeys(order[from], order[to]) == 0) {
                budget.step();
                to++;
            }
            if (to - from > 1) {
                breakTie(order, from, to, 0);
            }
            from = to;
        }
    }

    /** Sorts a run by the ids in one tie slot, within equal ids by the next slot, and at last by columns. */
    private void breakTie(int[] order, int from, int to, int tie) {
        if (tie == tieSlots.size()) {
            if (!lastColumns.isEmpty()) {
                IntSort.sort(order, from, to, this::compareLast);
            }
            return;
        }
        int index = indexOf(tieSlots.get(tie));
        long held = TIE_BYTES_A_ROW * (to - from);
        budget.charge(held);
        String[] ids = new String[to - from];
        int[] places = new int[to - from];
        int[] run0 = Arrays.copyOfRange(order, from, to);
        for (int i = 0; i < ids.length; i++) {
            EntityColumn column = (EntityColumn) rows.column(index, run0[i]);
            int place = RowStore.place(run0[i]);
            ids[i] = column.isNull(place) ? "" : budget.view.id(column.types[place], column.ordinals[place]);
            places[i] = i;
            budget.step();
            long bytes = HeapBytes.of(ids[i]);
            budget.charge(bytes);
            held += bytes;
        }
        // Ids are never empty: the empty text represents null and sorts first.
        IntSort.sort(places, 0, places.length, (l, r) -> compareTie(ids, run0, index, l, r));
        for (int i = 0; i < places.length; i++) {
            order[from + i] = run0[places[i]];
        }
        for (int i = 0; i < places.length; ) {
            int j = i + 1;
            while (j < places.length && compareTie(ids, run0, index, places[i], places[j]) == 0) {
                j++;
            }
            if (j - i > 1) {
                breakTie(order, from + i, from + j, tie + 1);
            }
            i = j;
        }
        budget.release(held);
    }

    private int compareLast(int left, int right) {
        budget.step();
        for (int column : lastColumns) {
            int index = live.length + column;
            int order = compare(
                    rows.column(index, left), RowStore.place(left), rows.column(index, right), RowStore.place(right));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private int compareTie(String[] ids, int[] tied, int index, int l, int r) {
        budget.step();
        int byId = ValueOrder.compareText(ids[l], ids[r]);
        if (byId != 0 || ids[l].isEmpty()) {
            return byId;
        }
        EntityColumn a = (EntityColumn) rows.column(index, tied[l]);
        EntityColumn b = (EntityColumn) rows.column(index, tied[r]);
        return Integer.compare(a.types[RowStore.place(tied[l])], b.types[RowStore.place(tied[r])]);
    }

    private int indexOf(int slot) {
        return Arrays.binarySearch(live, slot);
    }

    @Override
    public void finish() {
        int[] sorted = sorted();
        int[] order = groups == null ? sorted : groups.first(sorted);
        int n = wanted(order.length);
        out.computed = rows.computedSiblings();
        boolean more = true;
        for (int from = 0; more && from < n; from += Column.CAPACITY) {
            int size = Math.min(Column.CAPACITY, n - from);
            out.clear(live);
            Arrays.stream(out.computed).forEach(column -> column.reset(size));
            for (int i = 0; i < size; i++) {
                // Consecutive rows are at unrelated places in memory.
                budget.steps(ROW_STEPS);
                rows.copyTo(order[from + i], out, i);
            }
            out.size = size;
            budget.check();
            more = next.push(out);
        }
        rows.clear();
        budget.release(orderBytes(sorted.length));
        next.finish();
    }
}
