package service.core.batch;

import java.util.Arrays;
import service.core.value.Value;

/** The rest, boxed: lists, vectors, blobs. Never on a hot path. */
public final class ValueColumn extends Column {
    public final Value[] values = new Value[CAPACITY];

    public ValueColumn() {
        Arrays.fill(values, Value.NULL);
    }

    @Override
    public void reset() {
        super.reset();
        Arrays.fill(values, Value.NULL);
    }

    @Override
    public void copy(Column from, int fromRow, int toRow) {
        if (from.isNull(fromRow)) {
            setNull(toRow);
        } else {
            values[toRow] = ((ValueColumn) from).values[fromRow];
        }
    }

    @Override
    public ValueColumn sibling() {
        return new ValueColumn();
    }
}
