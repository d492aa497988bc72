package service.core.batch;

import java.util.Arrays;

/** F32 (widened) and F64. */
public final class DoubleColumn extends Column {
    public double[] values = {};

    @Override
    int room() {
        return values.length;
    }

    @Override
    int rowBytes() {
        return Double.BYTES;
    }

    @Override
    void grow(int rows) {
        values = Arrays.copyOf(values, rows);
    }

    @Override
    void copyValue(Column from, int fromRow, int toRow) {
        values[toRow] = ((DoubleColumn) from).values[fromRow];
    }

    @Override
    Column empty() {
        return new DoubleColumn();
    }
}
