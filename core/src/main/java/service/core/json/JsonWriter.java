package service.core.json;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.value.CalendarText;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.ShortestDecimal;
import service.core.value.Ulid;
import service.core.value.Value;

/**
 * Writes compact JSON as UTF-8 into a byte buffer, which a {@link Drain} takes when it is full. The writer adds commas:
 * a flag records whether the value before needs one, which is sufficient for objects, arrays and lines of JSON. The
 * caller balances braces.
 *
 * <p>Strings escape all control characters, also DEL and U+0080 to U+009F, which JSON allows: a terminal may obey them.
 *
 * <p>Written by hand instead of with Jackson's generator, because result rows are UTF-8 already and a point read should
 * allocate only its response. Confined to one thread.
 */
public final class JsonWriter extends JsonBytes {
    /** Doubles with at most this number of decimals are written with integer arithmetic. */
    private static final double DECIMALS = 1e6;

    /** Takes full buffers. */
    @FunctionalInterface
    public interface Drain {
        /**
         * Takes the first {@code length} bytes and returns the buffer to continue with: the same one if the bytes were
         * copied, or another of at least 64 bytes.
         */
        byte[] full(byte[] buffer, int length);

        /** Takes the first {@code length} bytes, which are the last ones. */
        default void last(byte[] buffer, int length) {
            full(buffer, length);
        }
    }

    private final Int64Form int64;
    private boolean comma;

    public JsonWriter(byte[] buffer, Drain drain) {
        this(buffer, drain, Int64Form.NUMBER);
    }

    /**
     * A writer with a form of integers.
     *
     * @param int64 how {@link #value(Value, PropertyType)} and {@link #integer} write values of 64 bits
     */
    public JsonWriter(byte[] buffer, Drain drain, Int64Form int64) {
        super(buffer, drain);
        this.int64 = int64;
    }

    /** The form of values of 64 bits. */
    public Int64Form int64() {
        return int64;
    }

    /** The JSON that the body writes, as one array: for records of moderate size. */
    public static byte[] bytes(Consumer<JsonWriter> body) {
        return bytes(Int64Form.NUMBER, body);
    }

    /** The same with values of 64 bits in this form. */
    public static byte[] bytes(Int64Form int64, Consumer<JsonWriter> body) {
        ByteChunks chunks = new ByteChunks();
        JsonWriter writer = new JsonWriter(new byte[512], chunks, int64);
        body.accept(writer);
        writer.finish();
        return chunks.toByteArray();
    }

    /** Continues after bytes of another writer; {@code isValue} says whether they end with a value. */
    public void continueAfter(boolean isValue) {
        comma = isValue;
    }

    public JsonWriter beginObject() {
        return open('{');
    }

    public JsonWriter endObject() {
        return close('}');
    }

    public JsonWriter beginArray() {
        return open('[');
    }

    public JsonWriter endArray() {
        return close(']');
    }

    /** Ends a line; the next value needs no comma. */
    public JsonWriter newline() {
        ensure();
        buffer[position++] = '\n';
        comma = false;
        return this;
    }

    public JsonWriter field(String name) {
        string(name);
        ensure();
        buffer[position++] = ':';
        comma = false;
        return this;
    }

    /** Writes a field name that {@link #quoted} prepared. */
    public JsonWriter field(byte[] quotedName) {
        separate();
        bytes(quotedName, 0, quotedName.length);
        ensure();
        buffer[position++] = ':';
        comma = false;
        return this;
    }

    /** The name in JSON, with quotes, to be written many times. */
    public static byte[] quoted(String name) {
        int length = name.length();
        byte[] quoted = new byte[length + 2];
        for (int i = 0; i < length; i++) {
            char c = name.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                return bytes(writer -> writer.string(name));
            }
            quoted[i + 1] = (byte) c;
        }
        quoted[0] = '"';
        quoted[length + 1] = '"';
        return quoted;
    }

    /** The bytes of a part of JSON for {@link #lead}. */
    public static byte[] part(String ascii) {
        return ascii.getBytes(StandardCharsets.US_ASCII);
    }

    /** Writes ASCII between values that is not JSON; the next value needs no comma. */
    public JsonWriter text(String ascii) {
        for (int i = 0; i < ascii.length(); i++) {
            ensure();
            buffer[position++] = (byte) ascii.charAt(i);
        }
        comma = false;
        return this;
    }

    /** Writes one whole value that is JSON already. */
    public JsonWriter json(byte[] value) {
        separate();
        bytes(value, 0, value.length);
        return this;
    }

    /**
     * Writes a {@link #part} of JSON, such as the beginning of an object or some of its members and the name of the
     * next; a value follows.
     */
    public JsonWriter lead(byte[] text) {
        separate();
        bytes(text, 0, text.length);
        comma = false;
        return this;
    }

    public JsonWriter nullValue() {
        return ascii("null");
    }

    public JsonWriter value(boolean value) {
        return ascii(value ? "true" : "false");
    }

    public JsonWriter value(long value) {
        separate();
        ensure();
        if (value == Long.MIN_VALUE) {
            plain("-9223372036854775808");
            return this;
        }
        long rest = value;
        if (rest < 0) {
            buffer[position++] = '-';
            rest = -rest;
        }
        number(rest);
        return this;
    }

    public JsonWriter unsigned(long bits) {
        return bits >= 0 ? value(bits) : ascii(Long.toUnsignedString(bits));
    }

    /** The shortest decimal that reads back as the same double, in the form of {@link ShortestDecimal}. */
    public JsonWriter value(double value) {
        double size = Math.abs(value);
        long scaled = Math.round(size * DECIMALS);
        // A decimal of at most 15 digits is the only one of that length that reads back as its double, so it is the
        // shortest. Outside this range Java writes exponents.
        if (size >= 1e-3 && size < 1e7 && scaled / DECIMALS == size) {
            return decimal(value < 0, scaled);
        }
        return ascii(ShortestDecimal.of(value));
    }

    /** Writes millionths without trailing zeros, but at least one digit. */
    private JsonWriter decimal(boolean isNegative, long millionths) {
        separate();
        ensure();
        if (isNegative) {
            buffer[position++] = '-';
        }
        millionths(millionths);
        return this;
    }

    /** The shortest decimal that reads back as the same float. */
    public JsonWriter value(float value) {
        return ascii(ShortestDecimal.of(value));
    }

    /** An id as text. */
    public JsonWriter ulid(long high, long low) {
        separate();
        ensure();
        buffer[position++] = '"';
        Ulid.putText(high, low, buffer, position);
        position += Ulid.TEXT_LENGTH;
        buffer[position++] = '"';
        return this;
    }

    public JsonWriter string(@Nullable String text) {
        if (text == null) {
            return nullValue();
        }
        separate();
        quote();
        characters(text);
        quote();
        return this;
    }

    /** A string that is UTF-8 already. */
    public JsonWriter utf8(byte[] text, int start, int length) {
        separate();
        quote();
        characters(text, start, length);
        quote();
        return this;
    }

    /**
     * The same for text at any address, eight bytes at a time: most text has nothing to escape and is copied while it
     * is scanned.
     */
    public JsonWriter utf8(DirectBuffer text, int start, int length) {
        separate();
        quote();
        characters(text, start, length);
        quote();
        return this;
    }

    public JsonWriter date(int epochDay) {
        return quotedAscii(CalendarText.date(epochDay));
    }

    public JsonWriter dateTime(long epochMillis) {
        return quotedAscii(CalendarText.dateTime(epochMillis));
    }

    /** A point in time in the form of records: RFC 3339 with microseconds. */
    public JsonWriter micros(long epochMicros) {
        separate();
        ensure();
        buffer[position++] = '"';
        CalendarText.putMicros(epochMicros, buffer, position);
        position += CalendarText.MICROS_LENGTH;
        buffer[position++] = '"';
        return this;
    }

    /**
     * A value of the data model in the form of results and images. Blobs, which results never hold, have the form of
     * the change feed: {@code {"blob":{"size":…,"etag":…}}} for managed bytes, {@code {"blob":{"uri":…}}} for a
     * reference.
     *
     * @param type the declared type where it is known: it distinguishes F32 from F64
     */
    public JsonWriter value(Value value, @Nullable PropertyType type) {
        switch (value) {
            case Value.Null ignored -> nullValue();
            case Value.Bool v -> value(v.value());
            case Value.Int v -> integer(v.value(), type);
            case Value.UInt v -> integer(v.bits(), PropertyType.U64);
            case Value.Real v -> real(v.value(), type);
            case Value.Text v -> string(v.value());
            case Value.Date v -> date(v.epochDay());
            case Value.DateTime v -> dateTime(v.epochMillis());
            case Value.ListOf v -> {
                PropertyType item =
                        type instanceof PropertyType.ListOf list ? new PropertyType.Scalar(list.item()) : null;
                beginArray();
                for (Value element : v.items()) {
                    value(element, item);
                }
                endArray();
            }
            case Value.Vector v -> {
                beginArray();
                for (float item : v.items()) {
                    value(item);
                }
                endArray();
            }
            case Value.ManagedBlob v -> {
                beginObject().field("blob").beginObject();
                field("size").value(v.size()).field("etag").string(v.etag());
                endObject().endObject();
            }
            case Value.ExternalBlob v -> {
                beginObject().field("blob").beginObject();
                field("uri").string(v.uri()).endObject().endObject();
            }
            case Value.Computed v -> throw v.unstored();
        }
        return this;
    }

    /**
     * An integer of the declared type. Of an unknown one it is a number; counts and offsets, which are no values, are
     * always numbers and written with {@link #value(long)}.
     *
     * @param value the bits of a U64
     */
    public JsonWriter integer(long value, @Nullable PropertyType type) {
        ScalarType scalar = type instanceof PropertyType.Scalar declared ? declared.scalar() : null;
        boolean unsigned = scalar == ScalarType.U64;
        if (int64 == Int64Form.STRING && (unsigned || scalar == ScalarType.I64)) {
            return quotedAscii(unsigned ? Long.toUnsignedString(value) : Long.toString(value));
        }
        return unsigned ? unsigned(value) : value(value);
    }

    /** A float of the declared width; -0.0 is written as 0.0. */
    public JsonWriter real(double number, @Nullable PropertyType type) {
        double value = Value.positiveZero(number);
        boolean single = type instanceof PropertyType.Scalar scalar && scalar.scalar() == ScalarType.F32;
        return single ? value((float) value) : value(value);
    }

    private JsonWriter open(char brace) {
        separate();
        ensure();
        buffer[position++] = (byte) brace;
        comma = false;
        return this;
    }

    private JsonWriter close(char brace) {
        ensure();
        buffer[position++] = (byte) brace;
        comma = true;
        return this;
    }

    private void separate() {
        if (comma) {
            ensure();
            buffer[position++] = ',';
        }
        comma = true;
    }

    private JsonWriter ascii(String text) {
        separate();
        plain(text);
        return this;
    }

    private JsonWriter quotedAscii(String text) {
        separate();
        ensure();
        buffer[position++] = '"';
        plain(text);
        buffer[position++] = '"';
        return this;
    }
}
