package service.projection.query.operator;

import java.util.Arrays;
import java.util.List;
import service.core.batch.Column;
import service.core.value.HeapBytes;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * The groups of the rows that a {@link SortOperator} keeps, where the first rows of each group are wanted. A group that
 * has had as many rows as are wanted knows the last of them; rows that come after it are dropped as they arrive.
 */
final class GroupTops {
    private final ExecutionBudget budget;
    private final List<Integer> columns;
    private final long keep;
    private final RowNumbers numbers;
    private final Column[] groupColumns;
    private final int[] numberOfRow;

    /** For each kept row, the number of its group. */
    private int[] groupOf = new int[Column.CAPACITY];

    /** For each group, one more than the last of the wanted rows; 0 while there are fewer. */
    private int[] lastOf = new int[Column.CAPACITY];

    private int kept;

    /** @param columns computed ones, whose values make the groups */
    GroupTops(ExecutionBudget budget, List<Integer> columns, long keep) {
        this.budget = budget;
        this.columns = columns;
        this.keep = keep;
        this.numbers = new RowNumbers(budget, columns.size());
        this.groupColumns = new Column[columns.size()];
        this.numberOfRow = budget.rowNumbers();
        budget.charge(2 * HeapBytes.array(Column.CAPACITY, Integer.BYTES));
    }

    /** The number of the group of each row of a batch; valid until the next batch. */
    int[] number(Batch batch) {
        for (int i = 0; i < groupColumns.length; i++) {
            groupColumns[i] = batch.computed[columns.get(i)];
        }
        numbers.number(groupColumns, batch.size, numberOfRow);
        return numberOfRow;
    }

    /** The last wanted row of a group as far as it is known; −1 while there may be too few. */
    int last(int group) {
        return group < lastOf.length ? lastOf[group] - 1 : -1;
    }

    /** Takes note of the group of the next row that is kept. */
    void add(int row, int group) {
        groupOf = budget.withRoom(groupOf, row);
        lastOf = budget.withRoom(lastOf, group);
        groupOf[row] = group;
    }

    /** Rows that were kept when some were dropped last. */
    int kept() {
        return kept;
    }

    /**
     * The first rows of each group.
     *
     * @param sorted the kept rows in their order; the caller then keeps those returned, numbered from 0 in this order
     */
    int[] first(int[] sorted) {
        int[] counts = new int[lastOf.length];
        long bytes = HeapBytes.array(counts.length, Integer.BYTES) + 2 * HeapBytes.array(sorted.length, Integer.BYTES);
        budget.charge(bytes);
        Arrays.fill(lastOf, 0);
        int[] first = new int[sorted.length];
        int[] groups = new int[sorted.length];
        int n = 0;
        for (int row : sorted) {
            budget.step();
            int group = groupOf[row];
            if (counts[group] < keep) {
                counts[group]++;
                groups[n] = group;
                first[n++] = row;
                lastOf[group] = counts[group] == keep ? n : 0;
            }
        }
        System.arraycopy(groups, 0, groupOf, 0, n);
        kept = n;
        budget.release(bytes);
        return Arrays.copyOf(first, n);
    }
}
