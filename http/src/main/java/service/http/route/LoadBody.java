package service.http.route;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.Note;
import service.core.io.BlockInputStream;
import service.core.json.Json;

/**
 * The JSON body of a load. No tree is built: one pass over the tokens checks the syntax, reads the short fields and
 * remembers where {@code records} or {@code data} begins, because either may precede {@code branch}. {@link #lines}
 * then reads the records from the bytes, one record a line. Apart from the body, memory use is constant.
 */
final class LoadBody {
    private static final String WHAT = "the request body";
    private static final int ABSENT = -1;
    private static final int DECODED_CHARS = 8 << 10;

    private final byte[] bytes;
    private final int length;
    private final ObjectNode others = Json.object();
    private final Fields fields;
    private int records = ABSENT;
    private int data = ABSENT;

    private LoadBody(byte[] bytes, int length) {
        this.bytes = bytes;
        this.length = length;
        try (JsonParser parser = Json.streamingFactory().createParser(bytes, 0, length)) {
            walk(parser);
        } catch (JsonProcessingException e) {
            throw Json.invalid(e, WHAT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        fields = Fields.of(others, "branch", "from", "mode", "data", "records", Notes.MESSAGE, Notes.META);
    }

    /**
     * Reads all fields except the records.
     *
     * @param bytes the body is {@code bytes[0 .. length)}; it must not change until the lines are read
     * @throws ServiceException BAD_REQUEST when the body is not the JSON object of a load
     */
    static LoadBody read(byte[] bytes, int length) {
        if (length == 0) {
            throw ServiceException.badRequest("a JSON object is required as the body");
        }
        checkText(bytes, length);
        LoadBody body = new LoadBody(bytes, length);
        // A field that was read as records is null here; any other type is refused.
        body.fields.array("records");
        body.fields.text("data");
        if ((body.data == ABSENT) == (body.records == ABSENT)) {
            throw ServiceException.badRequest(
                    "give the records either as NDJSON text in `data` or as an array in `records`");
        }
        return body;
    }

    /** Requires UTF-8 without NUL and byte order mark; Jackson would also detect UTF-16 and UTF-32. */
    private static void checkText(byte[] bytes, int length) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes, 0, length);
        CharBuffer out = CharBuffer.allocate(DECODED_CHARS);
        boolean good = bytes[0] != (byte) 0xEF;
        CoderResult result = CoderResult.OVERFLOW;
        while (good && result.isOverflow()) {
            result = decoder.decode(in, out.clear(), true);
            good = !result.isError();
        }
        for (int i = 0; good && i < length; i++) {
            good = bytes[i] != 0;
        }
        if (!good) {
            throw ServiceException.badRequest(WHAT + " is not UTF-8 text");
        }
    }

    private void walk(JsonParser parser) throws IOException {
        JsonToken first = parser.nextToken();
        if (first == null) {
            throw ServiceException.badRequest(WHAT + " is empty; send a JSON value");
        }
        if (first != JsonToken.START_OBJECT) {
            throw ServiceException.badRequest(WHAT + " must be a JSON object");
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            if (others.has(name)) {
                throw ServiceException.badRequest(WHAT + " is not valid JSON: the key `" + name + "` occurs twice");
            }
            JsonToken value = parser.nextToken();
            int start = (int) parser.currentTokenLocation().getByteOffset() + 1;
            if (value == JsonToken.START_ARRAY && name.equals("records")) {
                records = start;
                parser.skipChildren();
                others.putNull(name);
            } else if (value == JsonToken.VALUE_STRING && name.equals("data")) {
                data = start;
                others.putNull(name);
            } else if (value == JsonToken.START_OBJECT && name.equals(Notes.META)) {
                others.set(name, pairs(parser));
            } else if (value.isScalarValue()) {
                others.set(name, Json.tree(parser));
            } else {
                parser.skipChildren();
                // A wrong type for the field, whichever is left.
                others.set(name, name.equals(Notes.META) ? JsonNodeFactory.instance.arrayNode() : Json.object());
            }
        }
        if (parser.nextToken() != null) {
            throw ServiceException.badRequest(WHAT + " is not valid JSON: the object is followed by more");
        }
    }

    /** The pairs of a note, of which no more are kept than a note may have and one. */
    private static ObjectNode pairs(JsonParser parser) throws IOException {
        ObjectNode pairs = Json.object();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            if (parser.nextToken() != JsonToken.VALUE_STRING) {
                throw Notes.notTexts();
            }
            if (pairs.has(key)) {
                throw ServiceException.badRequest(WHAT + " is not valid JSON: the key `" + key + "` occurs twice");
            }
            if (pairs.size() <= Note.PAIRS_MAX) {
                pairs.put(key, parser.getText());
            }
        }
        return pairs;
    }

    /** The fields but the records. */
    Fields fields() {
        return fields;
    }

    /** The value of a short field, or null. */
    @Nullable
    String text(String name) {
        return fields.text(name);
    }

    /** The records, one a line, so that the line number of a message is the number of the record. */
    InputStream lines() {
        return data == ABSENT ? new RecordLines(bytes, records, length) : new TextLines(bytes, data, length);
    }

    /** Lines read from a part of the body. */
    private abstract static class Lines extends BlockInputStream {
        final byte[] bytes;
        final int end;
        int at;

        Lines(byte[] bytes, int start, int end) {
            this.bytes = bytes;
            this.at = start;
            this.end = end;
        }

        @Override
        public abstract int read(byte[] into, int offset, int count);
    }

    /** The elements of a valid JSON array. Line ends within an element become spaces. */
    private static final class RecordLines extends Lines {
        private int depth;
        private boolean quoted;
        private boolean escaped;

        RecordLines(byte[] bytes, int start, int end) {
            super(bytes, start, end);
        }

        @Override
        public int read(byte[] into, int offset, int count) {
            int n = 0;
            while (n < count && depth >= 0 && at < end) {
                byte b = bytes[at++];
                if (quoted) {
                    quoted = escaped || b != '"';
                    escaped = !escaped && b == '\\';
                } else {
                    switch (b) {
                        case '"' -> quoted = true;
                        case '{', '[' -> depth++;
                        case '}', ']' -> depth--;
                        case '\n', '\r' -> b = ' ';
                        case ',' -> b = depth == 0 ? (byte) '\n' : b;
                        default -> {}
                    }
                }
                if (depth >= 0) {
                    into[offset + n++] = b;
                }
            }
            return n == 0 && count > 0 ? -1 : n;
        }
    }

    /** The decoded text of a valid JSON string, as UTF-8. */
    private static final class TextLines extends Lines {
        private static final int ESCAPE_BYTES_MAX = 4;

        private final byte[] escape = new byte[ESCAPE_BYTES_MAX];
        private int escapeAt;
        private int escapeEnd;
        private boolean ended;

        TextLines(byte[] bytes, int start, int end) {
            super(bytes, start, end);
        }

        @Override
        public int read(byte[] into, int offset, int count) {
            int n = 0;
            while (n < count) {
                if (escapeAt < escapeEnd) {
                    into[offset + n++] = escape[escapeAt++];
                } else if (ended || at == end) {
                    break;
                } else {
                    byte b = bytes[at++];
                    if (b == '"') {
                        ended = true;
                    } else if (b == '\\') {
                        unescape(bytes[at++]);
                    } else {
                        into[offset + n++] = b;
                    }
                }
            }
            return n == 0 && count > 0 ? -1 : n;
        }

        private void unescape(byte kind) {
            switch (kind) {
                case 'n' -> hold('\n');
                case 'r' -> hold('\r');
                case 't' -> hold('\t');
                case 'b' -> hold('\b');
                case 'f' -> hold('\f');
                case 'u' -> {
                    char unit = unit(at);
                    at += 4;
                    boolean pair = Character.isHighSurrogate(unit)
                            && at + 6 <= end
                            && bytes[at] == '\\'
                            && bytes[at + 1] == 'u'
                            && Character.isLowSurrogate(unit(at + 2));
                    if (pair) {
                        hold(Character.toCodePoint(unit, unit(at + 2)));
                        at += 6;
                    } else {
                        hold(unit);
                    }
                }
                default -> hold(kind);
            }
        }

        private char unit(int from) {
            int unit = 0;
            for (int i = from; i < from + 4; i++) {
                unit = (unit << 4) | Character.digit(bytes[i], 16);
            }
            return (char) unit;
        }

        /** Encodes a code point. An unpaired surrogate becomes three bytes that the reader refuses as invalid UTF-8. */
        private void hold(int c) {
            escapeAt = 0;
            if (c < 0x80) {
                escape[0] = (byte) c;
                escapeEnd = 1;
            } else if (c < 0x800) {
                escape[0] = (byte) (0xC0 | (c >> 6));
                escapeEnd = 2;
            } else if (c < 0x10000) {
                escape[0] = (byte) (0xE0 | (c >> 12));
                escapeEnd = 3;
            } else {
                escape[0] = (byte) (0xF0 | (c >> 18));
                escapeEnd = 4;
            }
            for (int i = 1; i < escapeEnd; i++) {
                escape[i] = (byte) (0x80 | ((c >> (6 * (escapeEnd - 1 - i))) & 0x3F));
            }
        }
    }
}
