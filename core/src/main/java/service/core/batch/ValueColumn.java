package service.core.batch;

import java.util.Arrays;
import service.core.value.Value;

/** All other types, boxed: lists, vectors, blobs. Not used on hot paths. */
public final class ValueColumn extends Column {
    public Value[] values = {};

    @Override
    int room() {
        return values.length;
    }

    @Override
    void grow(int rows) {
        int before = values.length;
        values = Arrays.copyOf(values, rows);
        Arrays.fill(values, before, rows, Value.NULL);
    }

    @Override
    void forget() {
        Arrays.fill(values, Value.NULL);
    }

    @Override
    void copyValue(Column from, int fromRow, int toRow) {
        values[toRow] = ((ValueColumn) from).values[fromRow];
    }

    @Override
    public ValueColumn sibling() {
        return new ValueColumn();
    }
}
