package service.core.batch;

import java.util.Arrays;
import org.agrona.DirectBuffer;
import service.core.value.HeapBytes;
import service.core.value.TaggedValue;
import service.core.value.Value;

/** All other types, boxed: lists, vectors, blobs. Not used on hot paths. */
public final class ValueColumn extends Column {
    public Value[] values = {};

    /** Charged for the values. */
    private long held;

    /**
     * Sets a row that is not null to a stored value. Charges the bytes of the value before it is made.
     *
     * @param at where its tag is
     * @param length with the tag
     */
    public void set(int row, DirectBuffer buffer, int at, int length) {
        if (owner() == null) {
            values[row] = TaggedValue.get(buffer, at, length);
            return;
        }
        long most = HeapBytes.ofStored(buffer, at, length);
        charge(most);
        Value value = TaggedValue.get(buffer, at, length);
        long bytes = Math.min(most, HeapBytes.of(value));
        release(most - bytes);
        held += bytes;
        values[row] = value;
    }

    /** Sets a row that is not null. */
    public void set(int row, Value value) {
        if (owner() != null) {
            long bytes = HeapBytes.of(value);
            charge(bytes);
            held += bytes;
        }
        values[row] = value;
    }

    @Override
    int room() {
        return values.length;
    }

    @Override
    int rowBytes() {
        return HeapBytes.REFERENCE;
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
        release(held);
        held = 0;
    }

    @Override
    void copyValue(Column from, int fromRow, int toRow) {
        set(toRow, ((ValueColumn) from).values[fromRow]);
    }

    @Override
    Column empty() {
        return new ValueColumn();
    }
}
