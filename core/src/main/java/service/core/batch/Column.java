package service.core.batch;

import java.util.Arrays;

/**
 * One column of a batch: up to {@link #CAPACITY} values and a bitmap of nulls. Filled by storage or
 * an operator, read by the next operator, reused for the next batch. Confined to one thread.
 *
 * <p>The layout follows Apache Arrow's: primitive arrays, variable-length text as one byte array
 * with offsets.
 */
public abstract sealed class Column
        permits EntityColumn, LongColumn, DoubleColumn, BoolColumn, TextColumn, ValueColumn {
    /** Rows of a batch at the most. */
    public static final int CAPACITY = 1024;

    private final long[] nulls = new long[CAPACITY / Long.SIZE];

    public final boolean isNull(int row) {
        return (nulls[row >>> 6] & 1L << row) != 0;
    }

    public final void setNull(int row) {
        nulls[row >>> 6] |= 1L << row;
    }

    public final void clearNull(int row) {
        nulls[row >>> 6] &= ~(1L << row);
    }

    /** Whether any row is null. */
    public final boolean hasNulls() {
        long any = 0;
        for (long word : nulls) {
            any |= word;
        }
        return any != 0;
    }

    /** Also makes null the rows that are null in the other column. */
    public final void addNulls(Column other) {
        for (int i = 0; i < nulls.length; i++) {
            nulls[i] |= other.nulls[i];
        }
    }

    /**
     * Makes the column ready to be filled again: no row is null, variable-length content is
     * forgotten.
     */
    public void reset() {
        Arrays.fill(nulls, 0);
    }

    /**
     * Copies one row of a column of the same class. Rows of a {@link TextColumn} must be filled in
     * ascending order.
     */
    public abstract void copy(Column from, int fromRow, int toRow);

    /** An empty column of the same class (and value interpretation). */
    public abstract Column sibling();
}
