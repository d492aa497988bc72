package service.projection.query.vector;

import java.util.Arrays;
import java.util.List;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.value.Value;

/**
 * Encodes rows of columns as bytes that are equal exactly when the values are equal. Grouping, joins and distinct hash
 * these bytes. Equal numbers of different types have equal bytes.
 *
 * <pre>
 *  0 null · 1 whole number i64 · 2 whole number ≥ 2^63 u64 · 3 other real f64 · 4 false · 5 true
 *  6 date i64 · 7 date-time i64 · 8 text u32 length, UTF-8 · 9 entity u32 type, u32 ordinal
 *  10 list u32 n, items · 11 vector u32 n, f32 bits · 12 managed blob u64 size, 32 bytes
 *  13 external blob, as text · 14 record u32 n, values · 15 path nodes, edges, as lists
 * </pre>
 */
public final class KeyEncoder {
    private static final double TWO_63 = 0x1p63;
    private static final double TWO_64 = 0x1p64;

    private byte[] bytes = new byte[256];
    private int length;

    public byte[] bytes() {
        return bytes;
    }

    public int length() {
        return length;
    }

    public void clear() {
        length = 0;
    }

    /** The encoding of one value. */
    public static byte[] bytes(Value value) {
        KeyEncoder encoder = new KeyEncoder();
        encoder.add(value);
        return Arrays.copyOf(encoder.bytes, encoder.length);
    }

    /** Appends the value of one row. */
    public void add(Column column, int row) {
        if (column.isNull(row)) {
            tag(0);
            return;
        }
        switch (column) {
            case LongColumn c -> addLong(c.kind, c.values[row]);
            case DoubleColumn c -> addReal(c.values[row]);
            case BoolColumn c -> tag(c.values[row] ? 5 : 4);
            case TextColumn c -> {
                tag(8);
                addBytes(c.bytes, c.starts[row], c.lengths[row]);
            }
            case EntityColumn c -> {
                tag(9);
                addInt(c.types[row]);
                addInt(c.ordinals[row]);
            }
            case ValueColumn c -> add(c.values[row]);
        }
    }

    public void addLong(LongColumn.Kind kind, long bits) {
        tag(
                switch (kind) {
                    case INT -> 1;
                    case UINT -> bits >= 0 ? 1 : 2;
                    case DATE -> 6;
                    case DATETIME -> 7;
                });
        addLong(bits);
    }

    private void addReal(double value) {
        if (value == Math.rint(value) && value >= -TWO_63 && value < TWO_63) {
            tag(1);
            addLong((long) value);
        } else if (value >= TWO_63 && value < TWO_64) {
            tag(2);
            addLong((long) (value - TWO_63) + Long.MIN_VALUE);
        } else {
            tag(3);
            addLong(Double.doubleToLongBits(value));
        }
    }

    private void add(Value value) {
        switch (value) {
            case Value.Null ignored -> tag(0);
            case Value.Bool v -> tag(v.value() ? 5 : 4);
            case Value.Int v -> addLong(LongColumn.Kind.INT, v.value());
            case Value.UInt v -> addLong(LongColumn.Kind.UINT, v.bits());
            case Value.Real v -> addReal(v.value());
            case Value.Date v -> addLong(LongColumn.Kind.DATE, v.epochDay());
            case Value.DateTime v -> addLong(LongColumn.Kind.DATETIME, v.epochMillis());
            case Value.Text v -> addText(8, v.value());
            case Value.ExternalBlob v -> addText(13, v.uri());
            case Value.ListOf(List<Value> items) -> {
                tag(10);
                addInt(items.size());
                items.forEach(this::add);
            }
            case Value.Vector(float[] items) -> {
                tag(11);
                addInt(items.length);
                for (float item : items) {
                    addInt(Float.floatToIntBits(item));
                }
            }
            case Value.ManagedBlob v -> {
                tag(12);
                addLong(v.size());
                addBytes(v.sha256(), 0, v.sha256().length);
            }
            case Value.Entity(int type, int ordinal) -> {
                tag(9);
                addInt(type);
                addInt(ordinal);
            }
            case Value.Struct(List<String> names, List<Value> values) -> {
                tag(14);
                addInt(values.size());
                values.forEach(this::add);
            }
            case Value.Path path -> {
                tag(15);
                add(path.nodes());
                add(path.edges());
            }
        }
    }

    private void addText(int tag, String text) {
        byte[] utf8 = ColumnValues.utf8(text);
        tag(tag);
        addBytes(utf8, 0, utf8.length);
    }

    private void tag(int tag) {
        reserve(1);
        bytes[length++] = (byte) tag;
    }

    private void addInt(int value) {
        reserve(Integer.BYTES);
        for (int shift = 24; shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (value >>> shift);
        }
    }

    private void addLong(long value) {
        addInt((int) (value >>> 32));
        addInt((int) value);
    }

    private void addBytes(byte[] from, int start, int count) {
        addInt(count);
        reserve(count);
        System.arraycopy(from, start, bytes, length, count);
        length += count;
    }

    private void reserve(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
        }
    }
}
