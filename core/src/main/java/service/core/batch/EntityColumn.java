package service.core.batch;

import java.util.Arrays;

/**
 * Entities: type identity and dense ordinal of each row. Where storage knows it, the row also holds a handle to the
 * entity's record, so that reading properties needs no second look-up.
 *
 * <p>A handle is opaque: only the view that wrote it may use it, and only until that view is closed or the transaction
 * under it writes.
 */
public final class EntityColumn extends Column {
    /** The value of a handle that is not known. */
    public static final long NO_RECORD = 0;

    public int[] types = {};
    public int[] ordinals = {};
    public long[] records = {};

    public void set(int row, int type, int ordinal, long record) {
        if (row >= types.length) {
            makeRoom(row + 1);
        }
        types[row] = type;
        ordinals[row] = ordinal;
        records[row] = record;
    }

    @Override
    int room() {
        return types.length;
    }

    @Override
    int rowBytes() {
        return 2 * Integer.BYTES + Long.BYTES;
    }

    @Override
    void grow(int rows) {
        types = Arrays.copyOf(types, rows);
        ordinals = Arrays.copyOf(ordinals, rows);
        records = Arrays.copyOf(records, rows);
    }

    @Override
    void copyValue(Column from, int fromRow, int toRow) {
        EntityColumn other = (EntityColumn) from;
        set(toRow, other.types[fromRow], other.ordinals[fromRow], other.records[fromRow]);
    }

    @Override
    Column empty() {
        return new EntityColumn();
    }
}
