package service.core.batch;

import java.util.Arrays;
import service.core.value.Value;

/** Integers, dates (epoch day) and date-times (epoch milliseconds). {@link Kind} gives the meaning of the 64 bits. */
public final class LongColumn extends Column {
    /** How to read the bits: 5 is the number 5 or the date 1970-01-06. */
    public enum Kind {
        INT,
        UINT,
        DATE,
        DATETIME;

        /** The 64 bits of a row as a value of this kind. */
        Value value(long bits) {
            return switch (this) {
                case INT -> new Value.Int(bits);
                case UINT -> new Value.UInt(bits);
                case DATE -> new Value.Date((int) bits);
                case DATETIME -> new Value.DateTime(bits);
            };
        }
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
    int rowBytes() {
        return Long.BYTES;
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
    Column empty() {
        return new LongColumn(kind);
    }
}
