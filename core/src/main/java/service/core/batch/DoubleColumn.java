package service.core.batch;

/** F32 (widened) and F64. */
public final class DoubleColumn extends Column {
    public final double[] values = new double[CAPACITY];

    @Override
    public void copy(Column from, int fromRow, int toRow) {
        if (from.isNull(fromRow)) {
            setNull(toRow);
        } else {
            values[toRow] = ((DoubleColumn) from).values[fromRow];
        }
    }

    @Override
    public DoubleColumn sibling() {
        return new DoubleColumn();
    }
}
