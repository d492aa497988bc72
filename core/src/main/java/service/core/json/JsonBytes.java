package service.core.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/**
 * The byte buffer of a {@link JsonWriter}: writes digits, and the characters of strings with their escapes, and passes
 * the buffer to a {@link JsonWriter.Drain} when it is full. Knows neither commas nor quotes. Confined to one thread.
 */
abstract sealed class JsonBytes permits JsonWriter {
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

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final JsonWriter.Drain drain;
    byte[] buffer;
    int position;

    JsonBytes(byte[] buffer, JsonWriter.Drain drain) {
        this.buffer = buffer;
        this.drain = drain;
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

    /** Passes the buffered bytes to the drain. */
    public final void flush() {
        if (position > 0) {
            buffer = drain.full(buffer, position);
            position = 0;
        }
    }

    /** {@link #flush}es for the last time; the writer must not be used afterwards. */
    public final void finish() {
        if (position > 0) {
            drain.last(buffer, position);
            position = 0;
        }
    }

    final void quote() {
        ensure();
        buffer[position++] = '"';
    }

    /** Text of at most {@link #ROOM} − 4 ASCII characters. */
    final void plain(String text) {
        ensure();
        for (int i = 0; i < text.length(); i++) {
            buffer[position++] = (byte) text.charAt(i);
        }
    }

    /** Writes the digits of a number that is not negative. The caller has called {@link #ensure}. */
    final void number(long number) {
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

    /** Writes millionths without trailing zeros, but at least one digit. The caller has called {@link #ensure}. */
    final void millionths(long millionths) {
        long whole = millionths / 1_000_000;
        number(whole);
        buffer[position++] = '.';
        long fraction = digits(100 * (millionths - whole * 1_000_000));
        LONGS.set(buffer, position, fraction | ZEROS);
        // The last digit is the highest byte.
        position += Math.max(1, Long.BYTES - Long.numberOfLeadingZeros(fraction) / Byte.SIZE);
    }

    /** The characters of a string. */
    final void characters(String text) {
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

    /** The characters of a string that is UTF-8 already. */
    final void characters(byte[] text, int start, int length) {
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
    }

    /** The same for text at any address, eight bytes at a time. */
    final void characters(DirectBuffer text, int start, int length) {
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
    final void bytes(byte[] from, int start, int length) {
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

    final void ensure() {
        if (buffer.length - position < ROOM) {
            flush();
        }
    }
}
