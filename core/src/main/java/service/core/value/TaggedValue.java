package service.core.value;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** The bytes of one value: its tag, and what {@link PropertyRow} draws after it. */
public final class TaggedValue {
    private TaggedValue() {}

    /** Writes a tagged value and returns the position after it. */
    public static int put(MutableDirectBuffer buffer, int at, Value value) {
        switch (value) {
            case Value.Null ignored -> throw new IllegalArgumentException("null has no stored form");
            case Value.Bool v -> {
                buffer.putByte(at, (byte) PropertyRow.TAG_BOOL);
                buffer.putByte(at + 1, (byte) (v.value() ? 1 : 0));
                return at + 2;
            }
            case Value.Int v -> {
                return putLong(buffer, at, PropertyRow.TAG_INT, v.value());
            }
            case Value.UInt v -> {
                return putLong(buffer, at, PropertyRow.TAG_UINT, v.bits());
            }
            case Value.Real v -> {
                buffer.putByte(at, (byte) PropertyRow.TAG_REAL);
                buffer.putDouble(at + 1, v.value());
                return at + 9;
            }
            case Value.Date v -> {
                buffer.putByte(at, (byte) PropertyRow.TAG_DATE);
                buffer.putInt(at + 1, v.epochDay());
                return at + 5;
            }
            case Value.DateTime v -> {
                return putLong(buffer, at, PropertyRow.TAG_DATETIME, v.epochMillis());
            }
            case Value.Text v -> {
                return putText(buffer, at, PropertyRow.TAG_TEXT, v.value());
            }
            case Value.ExternalBlob v -> {
                return putText(buffer, at, PropertyRow.TAG_EXTERNAL_BLOB, v.uri());
            }
            case Value.ManagedBlob v -> {
                int end = putLong(buffer, at, PropertyRow.TAG_BLOB, v.size());
                buffer.putBytes(end, v.sha256());
                return end + 32;
            }
            case Value.Vector v -> {
                buffer.putByte(at, (byte) PropertyRow.TAG_VECTOR);
                int end = at + 1;
                for (float item : v.items()) {
                    buffer.putFloat(end, item);
                    end += 4;
                }
                return end;
            }
            case Value.Computed v -> throw v.unstored();
            case Value.ListOf v -> {
                buffer.putByte(at, (byte) PropertyRow.TAG_LIST);
                buffer.putInt(at + 1, v.items().size());
                int end = at + 5;
                for (Value item : v.items()) {
                    int itemEnd = item instanceof Value.Null ? putNull(buffer, end + 4) : put(buffer, end + 4, item);
                    buffer.putInt(end, itemEnd - end - 4);
                    end = itemEnd;
                }
                return end;
            }
        }
    }

    /** Reads a tagged value of the given length. */
    public static Value get(DirectBuffer buffer, int at, int length) {
        int tag = buffer.getByte(at);
        return switch (tag) {
            case PropertyRow.TAG_BOOL -> new Value.Bool(buffer.getByte(at + 1) != 0);
            case PropertyRow.TAG_INT -> new Value.Int(buffer.getLong(at + 1));
            case PropertyRow.TAG_UINT -> new Value.UInt(buffer.getLong(at + 1));
            case PropertyRow.TAG_REAL -> new Value.Real(buffer.getDouble(at + 1));
            case PropertyRow.TAG_DATE -> new Value.Date(buffer.getInt(at + 1));
            case PropertyRow.TAG_DATETIME -> new Value.DateTime(buffer.getLong(at + 1));
            case PropertyRow.TAG_TEXT -> new Value.Text(text(buffer, at, length));
            case PropertyRow.TAG_EXTERNAL_BLOB -> new Value.ExternalBlob(text(buffer, at, length));
            case PropertyRow.TAG_BLOB -> {
                byte[] digest = new byte[32];
                buffer.getBytes(at + 9, digest);
                yield new Value.ManagedBlob(digest, buffer.getLong(at + 1));
            }
            case PropertyRow.TAG_VECTOR -> {
                float[] items = new float[(length - 1) / 4];
                for (int i = 0; i < items.length; i++) {
                    items[i] = buffer.getFloat(at + 1 + 4 * i);
                }
                yield new Value.Vector(items);
            }
            case PropertyRow.TAG_LIST -> {
                int n = buffer.getInt(at + 1);
                List<Value> items = new ArrayList<>(n);
                int position = at + 5;
                for (int i = 0; i < n; i++) {
                    int itemLength = buffer.getInt(position);
                    boolean isNull = buffer.getByte(position + 4) == PropertyRow.TAG_NULL;
                    items.add(isNull ? Value.NULL : get(buffer, position + 4, itemLength));
                    position += 4 + itemLength;
                }
                yield new Value.ListOf(items);
            }
            default -> throw new IllegalStateException("damaged row: value tag " + tag);
        };
    }

    private static int putNull(MutableDirectBuffer buffer, int at) {
        buffer.putByte(at, (byte) PropertyRow.TAG_NULL);
        return at + 1;
    }

    private static int putLong(MutableDirectBuffer buffer, int at, int tag, long value) {
        buffer.putByte(at, (byte) tag);
        buffer.putLong(at + 1, value);
        return at + 9;
    }

    private static int putText(MutableDirectBuffer buffer, int at, int tag, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        buffer.putByte(at, (byte) tag);
        buffer.putBytes(at + 1, utf8);
        return at + 1 + utf8.length;
    }

    private static String text(DirectBuffer buffer, int at, int length) {
        byte[] utf8 = new byte[length - 1];
        buffer.getBytes(at + 1, utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
