package service.core.json;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.TaggedValue;
import service.core.value.Value;

/**
 * Writes values as JSON from their bytes in a {@link PropertyRow}. It makes no objects of texts and lists, which take
 * many times the memory of their bytes. The text is that of {@link JsonWriter#value(Value, PropertyType)}. Any thread.
 */
public final class StoredJson {
    private StoredJson() {}

    /**
     * Writes a tagged value.
     *
     * @param at where its tag is
     * @param length with the tag
     */
    public static void value(JsonWriter json, DirectBuffer row, int at, int length, @Nullable PropertyType type) {
        switch (row.getByte(at)) {
            case PropertyRow.TAG_NULL -> json.nullValue();
            case PropertyRow.TAG_TEXT -> json.utf8(row, at + 1, length - 1);
            case PropertyRow.TAG_INT -> json.integer(row.getLong(at + 1), type);
            case PropertyRow.TAG_BOOL -> json.value(row.getByte(at + 1) != 0);
            // Rows of older versions may hold -0.0.
            case PropertyRow.TAG_REAL -> json.real(Value.positiveZero(row.getDouble(at + 1)), type);
            case PropertyRow.TAG_LIST -> list(json, row, at, type);
            case PropertyRow.TAG_VECTOR -> vector(json, row, at, length);
            default -> json.value(TaggedValue.get(row, at, length), type);
        }
    }

    private static void list(JsonWriter json, DirectBuffer row, int at, @Nullable PropertyType type) {
        ScalarType item = type instanceof PropertyType.ListOf list ? list.item() : null;
        PropertyType itemType = item == null ? null : new PropertyType.Scalar(item);
        json.beginArray();
        int count = row.getInt(at + 1);
        int position = at + 1 + Integer.BYTES;
        for (int i = 0; i < count; i++) {
            int length = row.getInt(position);
            position += Integer.BYTES;
            value(json, row, position, length, itemType);
            position += length;
        }
        json.endArray();
    }

    private static void vector(JsonWriter json, DirectBuffer row, int at, int length) {
        json.beginArray();
        for (int item = at + 1; item < at + length; item += Float.BYTES) {
            json.value(row.getFloat(item));
        }
        json.endArray();
    }
}
