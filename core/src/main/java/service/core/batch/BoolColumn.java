package service.core.batch;

import java.util.Arrays;

/** Booleans; with the null bitmap they are the three truth values of GQ (null is unknown). */
public final class BoolColumn extends Column {
    public boolean[] values = {};

    /** Whether a row is true: neither false nor unknown. */
    public boolean isTrue(int row) {
        return values[row] && !isNull(row);
    }

    /**
     * Selects the rows that are true. Without nulls the loop has no branch: it writes every row and advances only past
     * true ones.
     *
     * @param size rows to look at; {@code into} has room for them
     * @return how many are true
     */
    public int trueRows(int size, int[] into) {
        int n = 0;
        if (!hasNulls()) {
            for (int row = 0; row < size; row++) {
                into[n] = row;
                n += values[row] ? 1 : 0;
            }
            return n;
        }
        for (int row = 0; row < size; row++) {
            if (isTrue(row)) {
                into[n++] = row;
            }
        }
        return n;
    }

    @Override
    int room() {
        return values.length;
    }

    @Override
    int rowBytes() {
        return 1;
    }

    @Override
    void grow(int rows) {
        values = Arrays.copyOf(values, rows);
    }

    @Override
    void copyValue(Column from, int fromRow, int toRow) {
        values[toRow] = ((BoolColumn) from).values[fromRow];
    }

    @Override
    Column empty() {
        return new BoolColumn();
    }
}
