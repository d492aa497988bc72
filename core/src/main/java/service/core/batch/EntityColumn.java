package service.core.batch;

/**
 * Entities: type identity and dense ordinal of each row. Where storage knows it, the row also holds
 * a handle to the entity's record, so that reading properties needs no second look-up.
 *
 * <p>A handle is opaque: only the view that wrote it may use it, and only until that view is closed
 * or the transaction under it writes.
 */
public final class EntityColumn extends Column {
    /** No record handle is known for the row. */
    public static final long NO_RECORD = 0;

    public final int[] types = new int[CAPACITY];
    public final int[] ordinals = new int[CAPACITY];
    public final long[] records = new long[CAPACITY];

    public void set(int row, int type, int ordinal, long record) {
        types[row] = type;
        ordinals[row] = ordinal;
        records[row] = record;
    }

    @Override
    public void copy(Column from, int fromRow, int toRow) {
        if (from.isNull(fromRow)) {
            setNull(toRow);
        } else {
            EntityColumn other = (EntityColumn) from;
            set(toRow, other.types[fromRow], other.ordinals[fromRow], other.records[fromRow]);
        }
    }

    @Override
    public EntityColumn sibling() {
        return new EntityColumn();
    }
}
