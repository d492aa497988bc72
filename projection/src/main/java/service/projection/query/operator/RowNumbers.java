package service.projection.query.operator;

import service.core.batch.Column;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.LongTable;

/**
 * Numbers the different rows of some columns over all batches from 0, in the order in which they first appear. Several
 * columns have codes, and the pairs of a number and a code are numbered, so that no key of several columns is encoded.
 * One thread.
 */
final class RowNumbers {
    private final ValueNumbers[] columns;

    /** For each column but the first, the pairs of the columns before it and its own codes. */
    private final LongTable[] pairs;

    private final int[] own;

    /** @param count of the columns, at least one */
    RowNumbers(ExecutionBudget budget, int count) {
        this.own = budget.rowNumbers();
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
        columns[0].code(values[0], size, into);
        for (int i = 1; i < columns.length; i++) {
            columns[i].code(values[i], size, own);
            LongTable known = pairs[i - 1];
            for (int row = 0; row < size; row++) {
                into[row] = known.add((long) into[row] << Integer.SIZE | Integer.toUnsignedLong(own[row]));
            }
        }
    }
}
