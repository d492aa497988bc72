package service.core.batch;

import java.util.Arrays;

/**
 * Integers, dates (epoch day) and date-times (epoch milliseconds). {@link Kind} says how the 64 bits are to be read.
 */
public final class LongColumn extends Column {
    /** How the bits are to be read: what tells 5 from 1970-01-06. */
    public enum Kind {
        INT,
        UINT,
        DATE,
        DATETIME
    }

    public final Kind kind;
    public long[] values = {};

    public LongColumn(Kind kind) {
        this.kind = kind;
    }

    @Override
    int room() {
        return values.length;
    }

    @Override
    void grow(int rows) {
        values = Arrays.copyOf(values, rows);
    }

    @Override
    void copyValue(Column from, int fromRow, int toRow) {
        values[toRow] = ((LongColumn) from).values[fromRow];
    }

    @Override
    public LongColumn sibling() {
        return new LongColumn(kind);
    }
}
