package service.core.batch;

/** Booleans; with the null bitmap, the three values of GQ's logic (null is unknown). */
public final class BoolColumn extends Column {
    public final boolean[] values = new boolean[CAPACITY];

    @Override
    public void copy(Column from, int fromRow, int toRow) {
        if (from.isNull(fromRow)) {
            setNull(toRow);
        } else {
            values[toRow] = ((BoolColumn) from).values[fromRow];
        }
    }

    @Override
    public BoolColumn sibling() {
        return new BoolColumn();
    }
}
