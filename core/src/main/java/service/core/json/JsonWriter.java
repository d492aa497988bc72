package service.core.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
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
public final class JsonWriter {
    /** Free bytes that {@link #ensure} always provides: enough for eight escaped characters, a number or a date. */
    private static final int ROOM = 64;

    /** Eight equal bytes each: 1, the highest bit, and what a string of ASCII must escape. */
    private static final long ONES = 0x0101010101010101L;

    private static final long HIGHS = 0x8080808080808080L;
    private static final long SPACES = 0x2020202020202020L;
    private static final long QUOTES = 0x2222222222222222L;
    private static final long BACKSLASHES = 0x5C5C5C5C5C5C5C5CL;
    private static final long DELETES = 0x7F7F7F7F7F7F7F7FL;

    /** The first byte of the characters U+0080 to U+00BF in UTF-8. */
    private static final byte C1_LEAD = (byte) 0xC2;

    private static final long C1_LEADS = 0xC2C2C2C2C2C2C2C2L;

    /** Eight times the digit zero. */
    private static final long ZEROS = 0x3030303030303030L;

    /** The first number with more than eight digits. */
    private static final long EIGHT_DIGITS = 100_000_000;

    /** A bit in the byte of the last of eight digits. */
    private static final long LAST_DIGIT = 1L << 56;

    /** Doubles with at most this number of decimals are written with integer arithmetic. */
    private static final double DECIMALS = 1e6;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

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

    private final Drain drain;
    private final Int64Form int64;
    private byte[] buffer;
    private int position;
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
        this.buffer = buffer;
        this.drain = drain;
        this.int64 = int64;
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

    /** The number of buffered bytes. */
    int pending() {
        return position;
    }

    /** Continues in another buffer and drops the buffered bytes. */
    void goOn(byte[] into, int at) {
        buffer = into;
        position = at;
    }

    /** Continues behind bytes of another writer; {@code isValue} says whether they end with a value. */
    public void continueAfter(boolean isValue) {
        comma = isValue;
    }

    /** Passes the buffered bytes to the drain. */
    public void flush() {
        if (position > 0) {
            buffer = drain.full(buffer, position);
            position = 0;
        }
    }

    /** {@link #flush}es for the last time; the writer must not be used afterwards. */
    public void finish() {
        if (position > 0) {
            drain.last(buffer, position);
            position = 0;
        }
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
            return plain("-9223372036854775808");
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
        long whole = millionths / 1_000_000;
        number(whole);
        buffer[position++] = '.';
        long fraction = digits(100 * (millionths - whole * 1_000_000));
        LONGS.set(buffer, position, fraction | ZEROS);
        // The last digit is the highest byte.
        position += Math.max(1, Long.BYTES - Long.numberOfLeadingZeros(fraction) / Byte.SIZE);
        return this;
    }

    /** Writes the digits of a number that is not negative. The caller has called {@link #ensure}. */
    private void number(long number) {
        if (number >= EIGHT_DIGITS) {
            long head = number / EIGHT_DIGITS;
            number(head);
            LONGS.set(buffer, position, digits(number - head * EIGHT_DIGITS) | ZEROS);
            position += Long.BYTES;
            return;
        }
        long digits = digits(number);
        // The first digit is the lowest byte; zero has one digit.
        int zeros = Long.numberOfTrailingZeros(digits | LAST_DIGIT) / Byte.SIZE;
        LONGS.set(buffer, position, (digits | ZEROS) >>> (zeros * Byte.SIZE));
        position += Long.BYTES - zeros;
    }

    /**
     * The eight decimal digits of a number below {@link #EIGHT_DIGITS}, one in each byte, the first in the lowest one.
     * Numbers of different lengths take the same path, so no branch is mispredicted. The two, four and eight parts of
     * the word are divided at once, by multiplying (Khuong, "How to print integers really fast", 2017).
     */
    private static long digits(long number) {
        long high = number / 10_000;
        long fours = high | (number - high * 10_000) << 32;
        long hundreds = ((fours * 10_486) >>> 20) & 0x7F0000007FL;
        long twos = hundreds | (fours - 100 * hundreds) << 16;
        long tens = ((twos * 103) >>> 10) & 0x000F000F000F000FL;
        return tens | (twos - 10 * tens) << 8;
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
        int length = text.length();
        for (int i = plain(text, 0); i < length; i = plain(text, i + 1)) {
            char c = text.charAt(i);
            ensure();
            if (c < 0x80) {
                one((byte) c);
            } else if (c < 0xA0) {
                escaped(c);
            } else if (c < 0x800) {
                buffer[position++] = (byte) (0xC0 | (c >> 6));
                buffer[position++] = (byte) (0x80 | (c & 0x3F));
            } else if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1))) {
                int codePoint = Character.toCodePoint(c, text.charAt(++i));
                buffer[position++] = (byte) (0xF0 | (codePoint >> 18));
                buffer[position++] = (byte) (0x80 | ((codePoint >> 12) & 0x3F));
                buffer[position++] = (byte) (0x80 | ((codePoint >> 6) & 0x3F));
                buffer[position++] = (byte) (0x80 | (codePoint & 0x3F));
            } else if (Character.isSurrogate(c)) {
                // Half of a surrogate pair cannot be written as UTF-8; stored text has none.
                buffer[position++] = (byte) 0xEF;
                buffer[position++] = (byte) 0xBF;
                buffer[position++] = (byte) 0xBD;
            } else {
                buffer[position++] = (byte) (0xE0 | (c >> 12));
                buffer[position++] = (byte) (0x80 | ((c >> 6) & 0x3F));
                buffer[position++] = (byte) (0x80 | (c & 0x3F));
            }
        }
        quote();
        return this;
    }

    /** Writes characters from an index on while they are ASCII without escapes; returns the index after them. */
    private int plain(String text, int from) {
        int at = from;
        while (at < text.length()) {
            ensure();
            byte[] into = buffer;
            int start = position;
            int count = Math.min(text.length() - at, into.length - start);
            int done = 0;
            while (done < count && isPlain(text.charAt(at + done))) {
                into[start + done] = (byte) text.charAt(at + done);
                done++;
            }
            position = start + done;
            at += done;
            if (done < count) {
                return at;
            }
        }
        return at;
    }

    private static boolean isPlain(char c) {
        return c >= ' ' && c < 0x7F && c != '"' && c != '\\';
    }

    /** A string that is UTF-8 already. */
    public JsonWriter utf8(byte[] text, int start, int length) {
        separate();
        quote();
        int end = start + length;
        int run = start;
        for (int i = start; i < end; i++) {
            byte b = text[i];
            if (b >= 0 ? b < 0x20 || b == '"' || b == '\\' || b == 0x7F : isC1(b, i + 1 < end ? text[i + 1] : 0)) {
                bytes(text, run, i - run);
                ensure();
                if (b >= 0) {
                    one(b);
                } else {
                    escaped(text[++i] & 0xFF);
                }
                run = i + 1;
            }
        }
        bytes(text, run, end - run);
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
        int end = start + length;
        int wordsEnd = Math.min(end, text.capacity() - Long.BYTES + 1);
        int at = start;
        while (at < wordsEnd) {
            int count = Math.min(Long.BYTES, end - at);
            long word = text.getLong(at, ByteOrder.LITTLE_ENDIAN);
            ensure();
            if (isPlain(count == Long.BYTES ? word : word | -1L << (count * Byte.SIZE))) {
                LONGS.set(buffer, position, word);
                position += count;
                at += count;
            } else {
                at = each(text, at, at + count, end);
            }
        }
        while (at < end) {
            ensure();
            at = each(text, at, at + 1, end);
        }
        quote();
        return this;
    }

    /**
     * Writes at most eight bytes of a text byte by byte; the caller has called {@link #ensure}.
     *
     * @param to the end of the bytes to write
     * @param end the end of the text
     * @return the position after the bytes that were written: one more when the last one begins a character of C1
     */
    private int each(DirectBuffer text, int from, int to, int end) {
        int at = from;
        while (at < to) {
            byte b = text.getByte(at++);
            if (b == C1_LEAD && at < end && isC1(b, text.getByte(at))) {
                escaped(text.getByte(at++) & 0xFF);
            } else {
                one(b);
            }
        }
        return at;
    }

    /** Whether two bytes of UTF-8 are one of the control characters U+0080 to U+009F. */
    private static boolean isC1(byte first, byte second) {
        return first == C1_LEAD && (second & 0xFF) < 0xA0;
    }

    /**
     * Whether none of eight bytes of UTF-8 must be escaped, or begins a character that must. A byte is less than n if
     * subtracting n sets its highest bit, which was clear; a byte equals c if it is less than 1 after XOR with c
     * (Warren, Hacker's Delight, 6-1).
     */
    private static boolean isPlain(long word) {
        long quotes = word ^ QUOTES;
        long backslashes = word ^ BACKSLASHES;
        long deletes = word ^ DELETES;
        long found = ((word - SPACES) & ~word)
                | ((quotes - ONES) & ~quotes)
                | ((backslashes - ONES) & ~backslashes)
                | ((deletes - ONES) & ~deletes);
        if ((word & HIGHS) != 0) {
            long leads = word ^ C1_LEADS;
            found |= (leads - ONES) & ~leads;
        }
        return (found & HIGHS) == 0;
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

    private void quote() {
        ensure();
        buffer[position++] = '"';
    }

    private JsonWriter ascii(String text) {
        separate();
        return plain(text);
    }

    private JsonWriter quotedAscii(String text) {
        separate();
        ensure();
        buffer[position++] = '"';
        plain(text);
        buffer[position++] = '"';
        return this;
    }

    /** Text of at most {@link #ROOM} − 4 ASCII characters. */
    private JsonWriter plain(String text) {
        ensure();
        for (int i = 0; i < text.length(); i++) {
            buffer[position++] = (byte) text.charAt(i);
        }
        return this;
    }

    /** Writes one byte of a string's UTF-8, escaped where JSON requires it. The caller has called {@link #ensure}. */
    private void one(byte c) {
        switch (c) {
            case '"', '\\' -> escaped(c);
            case '\n' -> escaped((byte) 'n');
            case '\r' -> escaped((byte) 'r');
            case '\t' -> escaped((byte) 't');
            default -> {
                if (c >= 0 && (c < 0x20 || c == 0x7F)) {
                    escaped((int) c);
                } else {
                    buffer[position++] = c;
                }
            }
        }
    }

    private void escaped(byte sign) {
        buffer[position++] = '\\';
        buffer[position++] = sign;
    }

    /** Writes a character below U+0100 by its number. */
    private void escaped(int c) {
        buffer[position++] = '\\';
        buffer[position++] = 'u';
        buffer[position++] = '0';
        buffer[position++] = '0';
        buffer[position++] = HEX[c >> 4];
        buffer[position++] = HEX[c & 15];
    }

    /**
     * Copies a short piece by words of eight bytes; the last word may overlap the one before. Most pieces are short.
     */
    private void bytes(byte[] from, int start, int length) {
        if (length > ROOM) {
            longBytes(from, start, length);
            return;
        }
        ensure();
        if (length >= Long.BYTES) {
            int last = length - Long.BYTES;
            for (int i = 0; i < last; i += Long.BYTES) {
                LONGS.set(buffer, position + i, (long) LONGS.get(from, start + i));
            }
            LONGS.set(buffer, position + last, (long) LONGS.get(from, start + last));
        } else {
            for (int i = 0; i < length; i++) {
                buffer[position + i] = from[start + i];
            }
        }
        position += length;
    }

    private void longBytes(byte[] from, int start, int length) {
        int done = 0;
        while (done < length) {
            ensure();
            int piece = Math.min(length - done, buffer.length - position);
            System.arraycopy(from, start + done, buffer, position, piece);
            position += piece;
            done += piece;
        }
    }

    private void ensure() {
        if (buffer.length - position < ROOM) {
            flush();
        }
    }
}
