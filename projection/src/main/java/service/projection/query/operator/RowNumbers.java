package service.projection.query.operator;

import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.value.HeapBytes;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.LongTable;

/**
 * Numbers the different rows of some columns over all batches from 0, in the order in which they first appear. Several
 * columns have codes, and the pairs of a number and a code are numbered, so that no key of several columns is encoded.
 * One thread.
 *
 * <p>An expansion gives the rows of one node next to each other, and its neighbours ascend. When a column has few
 * changes, it comes first, and pairs are made of the numbers of its values in the order in which they appear. Then the
 * pairs often ascend, and {@link LongTable} needs no hash table for them.
 */
final class RowNumbers {
    /** A column comes first when it changes in this part of the rows of the first batch at most. */
    private static final int FEW_CHANGES = 4;

    /** A smaller first batch does not tell which column has few changes. */
    private static final int ROWS_MIN = 64;

    private final ExecutionBudget budget;
    private final ValueNumbers[] columns;

    /** For each column but the first in {@link #order}, the pairs of the columns before it and its own codes. */
    private final LongTable[] pairs;

    /** The numbers of the codes of the first column in {@link #order}; null when its codes are taken as they are. */
    private @Nullable LongTable leading;

    /** The columns in the order in which pairs are made of them; empty before the first batch. */
    private int[] order = {};

    private final int[] own;
    private final long[] keys;

    /** @param count of the columns, at least one */
    RowNumbers(ExecutionBudget budget, int count) {
        this.budget = budget;
        this.own = budget.rowNumbers();
        this.keys = count == 1 ? new long[0] : new long[Column.CAPACITY];
        budget.charge(HeapBytes.array(keys.length, Long.BYTES));
        columns = new ValueNumbers[count];
        pairs = new LongTable[count - 1];
        for (int i = 0; i < count; i++) {
            columns[i] = new ValueNumbers(budget);
            if (i > 0) {
                pairs[i - 1] = new LongTable(budget);
            }
        }
    }

    /**
     * Numbers the rows of a batch.
     *
     * @param values the same columns of each batch; those after the first ones are left out
     * @param into receives the number of each row
     */
    void number(Column[] values, int size, int[] into) {
        if (columns.length == 1) {
            columns[0].number(values[0], size, into);
            return;
        }
        if (order.length == 0) {
            chooseOrder(values, size);
        }
        columns[order[0]].code(values[order[0]], size, into);
        if (leading != null) {
            numberRuns(leading, size, into);
        }
        for (int i = 1; i < columns.length; i++) {
            columns[order[i]].code(values[order[i]], size, own);
            for (int row = 0; row < size; row++) {
                keys[row] = (long) into[row] << Integer.SIZE | Integer.toUnsignedLong(own[row]);
            }
            pairs[i - 1].addAll(keys, size, into);
        }
    }

    /** Replaces codes by their numbers. */
    private static void numberRuns(LongTable numbers, int size, int[] codes) {
        int code = 0;
        int number = -1;
        for (int row = 0; row < size; row++) {
            if (number < 0 || codes[row] != code) {
                code = codes[row];
                number = numbers.add(Integer.toUnsignedLong(code));
            }
            codes[row] = number;
        }
    }

    private void chooseOrder(Column[] values, int size) {
        int first = 0;
        int fewest = Integer.MAX_VALUE;
        for (int i = 0; i < columns.length; i++) {
            columns[i].code(values[i], size, own);
            int changes = 0;
            for (int row = 1; row < size; row++) {
                changes += own[row] == own[row - 1] ? 0 : 1;
            }
            if (changes < fewest) {
                fewest = changes;
                first = i;
            }
        }
        if (size < ROWS_MIN || fewest > size / FEW_CHANGES) {
            first = 0;
        } else {
            leading = new LongTable(budget);
        }
        order = new int[columns.length];
        order[0] = first;
        for (int i = 1; i < order.length; i++) {
            order[i] = i <= first ? i - 1 : i;
        }
    }
}
