package service.core.batch;

import java.util.Arrays;

/** Booleans; with the null bitmap they are the three truth values of GQ (null is unknown). */
public final class BoolColumn extends Column {
    public boolean[] values = {};

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
