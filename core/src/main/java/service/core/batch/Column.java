package service.core.batch;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.value.HeapBytes;
import service.core.value.Value;

/**
 * One column of a batch: up to {@link #CAPACITY} values and a bitmap of nulls. Storage or an operator fills it, the
 * next operator reads it, and the next batch reuses it. Confined to one thread.
 *
 * <p>A new column has room for no row. The filler first states the number of rows: {@link #reset(int)}, or
 * {@link #reset()} for up to {@link #CAPACITY}. A read of one entity therefore does not allocate a thousand rows.
 * {@link #copy} and the {@code set} methods grow the column when needed. Arrays are replaced when they grow: do not
 * keep them from batch to batch.
 *
 * <p>A column of an execution has a {@link ColumnOwner}, which is charged for the column and for all that it holds. Its
 * siblings have the same owner. Other columns are small or short-lived; they have no owner and are not charged.
 *
 * <p>The layout follows Apache Arrow: primitive arrays, variable-length text as one byte array with offsets.
 */
public abstract sealed class Column
        permits EntityColumn, LongColumn, DoubleColumn, BoolColumn, TextColumn, ValueColumn {
    /** Maximum number of rows of a batch. */
    public static final int CAPACITY = 1024;

    private static final int ROOM_MIN = 8;

    /** The object with the bitmap of nulls and the headers of its arrays. */
    private static final long FIXED_BYTES = HeapBytes.object(6 * HeapBytes.REFERENCE)
            + 2 * HeapBytes.array(0, 1)
            + HeapBytes.array(CAPACITY / Long.SIZE, Long.BYTES);

    private final long[] nulls = new long[CAPACITY / Long.SIZE];
    private @Nullable ColumnOwner owner;

    /** Charges this column, and from now on all that it holds, to an execution. Call it once, while it is empty. */
    public final void belongTo(ColumnOwner to) {
        to.charge(FIXED_BYTES);
        owner = to;
    }

    /** The execution that the column belongs to, or null. */
    final @Nullable ColumnOwner owner() {
        return owner;
    }

    final void charge(long bytes) {
        if (owner != null) {
            owner.charge(bytes);
        }
    }

    final void release(long bytes) {
        if (owner != null) {
            owner.release(bytes);
        }
    }

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

    /** The boxed value of a row; {@link Value#NULL} where the row is null. */
    public final Value value(int row) {
        if (isNull(row)) {
            return Value.NULL;
        }
        return switch (this) {
            case BoolColumn c -> new Value.Bool(c.values[row]);
            case TextColumn c -> new Value.Text(c.text(row));
            case DoubleColumn c -> new Value.Real(c.values[row]);
            case LongColumn c -> c.kind.value(c.values[row]);
            case ValueColumn c -> c.values[row];
            case EntityColumn c -> new Value.Entity(c.types[row], c.ordinals[row]);
        };
    }

    /** Also sets to null the rows that are null in the other column. */
    public final void addNulls(Column other) {
        for (int i = 0; i < nulls.length; i++) {
            nulls[i] |= other.nulls[i];
        }
    }

    /**
     * Sets to null the rows {@code [0, rows)} whose bits {@code from, from + 1, …} are set.
     *
     * @param words with room for those bits
     */
    public final void addNulls(long[] words, int from, int rows) {
        for (int row = 0; row < rows; row += Long.SIZE) {
            int at = from + row;
            long bits = words[at >>> 6] >>> at;
            if ((at & Long.SIZE - 1) != 0 && (at >>> 6) + 1 < words.length) {
                bits |= words[(at >>> 6) + 1] << -at;
            }
            int left = rows - row;
            nulls[row >>> 6] |= left < Long.SIZE ? bits & (1L << left) - 1 : bits;
        }
    }

    /** Sets to null the rows {@code [0, rows)} whose bits {@code ordinals[row]} are set. */
    public final void addNulls(long[] words, int[] ordinals, int rows) {
        for (int row = 0; row < rows; row++) {
            nulls[row >>> 6] |= (words[ordinals[row] >>> 6] >>> ordinals[row] & 1L) << row;
        }
    }

    /** Prepares the column for up to {@link #CAPACITY} new rows: no row is null, variable-length content is dropped. */
    public final void reset() {
        reset(CAPACITY);
    }

    /** Prepares the column for that number of new rows. */
    public final void reset(int rows) {
        if (owner != null) {
            owner.fills(rows);
        }
        Arrays.fill(nulls, 0);
        forget();
        makeRoom(rows);
    }

    /** Makes room for the rows {@code [0, rows)} and keeps their content. */
    public final void makeRoom(int rows) {
        if (rows > room()) {
            int twice = Integer.highestOneBit(Math.max(ROOM_MIN, rows) - 1) << 1;
            int room = Math.min(CAPACITY, Math.max(twice, rows));
            charge((long) (room - room()) * rowBytes());
            grow(room);
        }
    }

    /** The number of rows that there is room for. */
    abstract int room();

    abstract void grow(int rows);

    /** The bytes of a row in the arrays that {@link #grow} makes longer. */
    abstract int rowBytes();

    /** Drops variable-length content. */
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

    /** {@link #copy} of a row that is not null, into a column with room for it. */
    abstract void copyValue(Column from, int fromRow, int toRow);

    /** An empty column of the same class (and value interpretation), with the same owner. */
    public final Column sibling() {
        Column sibling = empty();
        if (owner != null) {
            sibling.belongTo(owner);
        }
        return sibling;
    }

    /** A {@link #sibling} with another owner. */
    public final Column sibling(ColumnOwner of) {
        Column sibling = empty();
        sibling.belongTo(of);
        return sibling;
    }

    /** A new column of the same class, without an owner. */
    abstract Column empty();
}
