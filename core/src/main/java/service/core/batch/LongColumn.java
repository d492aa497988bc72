package service.core.batch;

/**
 * Integers, dates (epoch day) and date-times (epoch milliseconds). {@link Kind} says how the 64
 * bits are to be read.
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
    public final long[] values = new long[CAPACITY];

    public LongColumn(Kind kind) {
        this.kind = kind;
    }

    @Override
    public void copy(Column from, int fromRow, int toRow) {
        if (from.isNull(fromRow)) {
            setNull(toRow);
        } else {
            values[toRow] = ((LongColumn) from).values[fromRow];
        }
    }

    @Override
    public LongColumn sibling() {
        return new LongColumn(kind);
    }
}
