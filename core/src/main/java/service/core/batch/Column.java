package service.core.batch;

import java.util.Arrays;

/**
 * One column of a batch: up to {@link #CAPACITY} values and a bitmap of nulls. Filled by storage or an operator, read
 * by the next operator, reused for the next batch. Confined to one thread.
 *
 * <p>A new column has room for no row. Who fills it says first how many rows will come: {@link #reset(int)}, or
 * {@link #reset()} when they may be {@link #CAPACITY}. So a read of one entity does not pay for a thousand.
 * {@link #copy} and the {@code set} methods make room by themselves. Arrays are replaced when they grow: do not keep
 * them from batch to batch.
 *
 * <p>The layout follows Apache Arrow's: primitive arrays, variable-length text as one byte array with offsets.
 */
public abstract sealed class Column
        permits EntityColumn, LongColumn, DoubleColumn, BoolColumn, TextColumn, ValueColumn {
    /** Rows of a batch at the most. */
    public static final int CAPACITY = 1024;

    private static final int ROOM_MIN = 8;

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
     * Makes the column ready to be filled again with up to {@link #CAPACITY} rows: no row is null, variable-length
     * content is forgotten.
     */
    public final void reset() {
        reset(CAPACITY);
    }

    /** Makes the column ready to be filled again with so many rows. */
    public final void reset(int rows) {
        Arrays.fill(nulls, 0);
        forget();
        makeRoom(rows);
    }

    /** Makes room for the rows {@code [0, rows)} and keeps what they hold. */
    public final void makeRoom(int rows) {
        if (rows > room()) {
            int twice = Integer.highestOneBit(Math.max(ROOM_MIN, rows) - 1) << 1;
            grow(Math.min(CAPACITY, Math.max(twice, rows)));
        }
    }

    /** Rows that there is room for. */
    abstract int room();

    abstract void grow(int rows);

    /** Forgets variable-length content. */
    void forget() {}

    /** Copies one row of a column of the same class. Rows of a {@link TextColumn} must be filled in ascending order. */
    public final void copy(Column from, int fromRow, int toRow) {
        makeRoom(toRow + 1);
        if (from.isNull(fromRow)) {
            setNull(toRow);
        } else {
            copyValue(from, fromRow, toRow);
        }
    }

    /** {@link #copy} of a row that is not null, where there is room. */
    abstract void copyValue(Column from, int fromRow, int toRow);

    /** An empty column of the same class (and value interpretation). */
    public abstract Column sibling();
}
