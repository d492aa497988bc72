package service.projection.view;

import static service.log.lmdb.MappedBytes.byteAt;
import static service.log.lmdb.MappedBytes.copyFloats;
import static service.log.lmdb.MappedBytes.intAt;
import static service.log.lmdb.MappedBytes.longAt;

import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.value.PropertyRow;
import service.core.value.TaggedValue;
import service.core.value.Value;
import service.projection.table.MappedRow;

/**
 * Copies one property of many records from their mapped pages into a column. Tries the slot of the previous row first,
 * which is mostly the slot of the next one, too.
 */
final class ColumnReader {
    private final UnsafeBuffer window = new UnsafeBuffer(0, 0);

    /** Where the last vector was. */
    private int vectorSlot;

    /**
     * @param rows with a record handle in every row of a live entity
     * @param rowAt offset of the property row in a record, in bytes
     */
    void read(int property, EntityColumn rows, int size, int rowAt, Column into) {
        into.reset(size);
        switch (into) {
            case LongColumn column -> longs(property, rows, size, rowAt, column);
            case DoubleColumn column -> doubles(property, rows, size, rowAt, column);
            case BoolColumn column -> booleans(property, rows, size, rowAt, column);
            case TextColumn column -> texts(property, rows, size, rowAt, column);
            case ValueColumn column -> values(property, rows, size, rowAt, column);
            case EntityColumn ignored -> throw new IllegalArgumentException("a property is not an entity");
        }
    }

    /**
     * The same for a property that is younger than some entities.
     *
     * @param missing the value of entities without one; a marked null is none
     */
    void readYoung(int property, Value missing, EntityColumn rows, int size, int rowAt, Column into) {
        if (isInEveryRow(property, rows, size, rowAt)) {
            read(property, rows, size, rowAt, into);
            return;
        }
        into.reset(size);
        for (int i = 0; i < size; i++) {
            long record = rows.isNull(i) ? EntityColumn.NO_RECORD : rows.records[i];
            int slot = record == EntityColumn.NO_RECORD ? -1 : MappedRow.slot(record + rowAt, property, 0);
            if (record == EntityColumn.NO_RECORD) {
                into.setNull(i);
            } else if (slot < 0) {
                set(into, i, missing);
            } else if (isNull(record + rowAt, slot)) {
                into.setNull(i);
            } else {
                long row = record + rowAt;
                int length = MappedRow.valueLength(row, slot);
                window.wrap(MappedRow.value(row, slot), length);
                if (into instanceof ValueColumn column) {
                    column.set(i, window, 0, length);
                } else {
                    set(into, i, TaggedValue.get(window, 0, length));
                }
            }
        }
    }

    /**
     * Copies a vector from its mapped page.
     *
     * @param row the address of the property row
     * @param missing the value of entities that are older than the property, or null
     * @return false for a null
     */
    boolean vector(int property, long row, @Nullable Value missing, float[] into) {
        int slot = MappedRow.slot(row, property, vectorSlot);
        vectorSlot = Math.max(0, slot);
        if (slot < 0) {
            if (missing instanceof Value.Vector(float[] items)) {
                System.arraycopy(items, 0, into, 0, into.length);
                return true;
            }
            return false;
        }
        long value = MappedRow.value(row, slot);
        if (byteAt(value) == PropertyRow.TAG_NULL) {
            return false;
        }
        copyFloats(value + 1, into);
        return true;
    }

    private static boolean isNull(long row, int slot) {
        return byteAt(MappedRow.value(row, slot)) == PropertyRow.TAG_NULL;
    }

    private static boolean isInEveryRow(int property, EntityColumn rows, int size, int rowAt) {
        int slot = 0;
        for (int i = 0; i < size; i++) {
            slot = slot(property, rows, i, rowAt, slot);
            if (slot < 0 || isNull(rows.records[i] + rowAt, slot)) {
                return false;
            }
        }
        return true;
    }

    private static void set(Column into, int row, Value value) {
        switch (into) {
            case LongColumn column -> column.values[row] = integer(value);
            case DoubleColumn column -> column.values[row] = ((Value.Real) value).value();
            case BoolColumn column -> column.values[row] = ((Value.Bool) value).value();
            case TextColumn column -> column.set(row, ((Value.Text) value).value());
            case ValueColumn column -> column.set(row, value);
            case EntityColumn ignored -> throw new IllegalArgumentException("a property is not an entity");
        }
    }

    private static long integer(Value value) {
        return switch (value) {
            case Value.Int number -> number.value();
            case Value.UInt number -> number.bits();
            case Value.Date date -> date.epochDay();
            case Value.DateTime time -> time.epochMillis();
            default -> throw new IllegalArgumentException("not an integer: " + value);
        };
    }

    private void longs(int property, EntityColumn rows, int size, int rowAt, LongColumn into) {
        long[] values = into.values;
        int slot = 0;
        for (int i = 0; i < size; i++) {
            int found = slot(property, rows, i, rowAt, slot);
            if (found < 0) {
                into.setNull(i);
            } else {
                slot = found;
                long value = MappedRow.value(rows.records[i] + rowAt, found);
                values[i] = byteAt(value) == PropertyRow.TAG_DATE ? intAt(value + 1) : longAt(value + 1);
            }
        }
    }

    private void doubles(int property, EntityColumn rows, int size, int rowAt, DoubleColumn into) {
        int slot = 0;
        for (int i = 0; i < size; i++) {
            int found = slot(property, rows, i, rowAt, slot);
            if (found < 0) {
                into.setNull(i);
            } else {
                slot = found;
                long bits = longAt(MappedRow.value(rows.records[i] + rowAt, found) + 1);
                // Rows of older versions may hold -0.0.
                into.values[i] = Value.positiveZero(Double.longBitsToDouble(bits));
            }
        }
    }

    private void booleans(int property, EntityColumn rows, int size, int rowAt, BoolColumn into) {
        int slot = 0;
        for (int i = 0; i < size; i++) {
            int found = slot(property, rows, i, rowAt, slot);
            if (found < 0) {
                into.setNull(i);
            } else {
                slot = found;
                into.values[i] = byteAt(MappedRow.value(rows.records[i] + rowAt, found) + 1) != 0;
            }
        }
    }

    private void texts(int property, EntityColumn rows, int size, int rowAt, TextColumn into) {
        int slot = 0;
        for (int i = 0; i < size; i++) {
            int found = slot(property, rows, i, rowAt, slot);
            if (found < 0) {
                into.setNull(i);
            } else {
                slot = found;
                long row = rows.records[i] + rowAt;
                int length = MappedRow.valueLength(row, found) - 1;
                window.wrap(MappedRow.value(row, found) + 1, length);
                into.set(i, window, 0, length);
            }
        }
    }

    private void values(int property, EntityColumn rows, int size, int rowAt, ValueColumn into) {
        for (int i = 0; i < size; i++) {
            int found = slot(property, rows, i, rowAt, 0);
            if (found < 0) {
                into.setNull(i);
            } else {
                long row = rows.records[i] + rowAt;
                int length = MappedRow.valueLength(row, found);
                window.wrap(MappedRow.value(row, found), length);
                into.set(i, window, 0, length);
            }
        }
    }

    private static int slot(int property, EntityColumn rows, int i, int rowAt, int guess) {
        long record = rows.records[i];
        return rows.isNull(i) || record == EntityColumn.NO_RECORD
                ? -1
                : MappedRow.slot(record + rowAt, property, guess);
    }
}
