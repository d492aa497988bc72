package service.core.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import service.core.error.ServiceException;
import service.core.value.CalendarText;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.VisibleText;

/**
 * Reads JSON values by their declared type ({@code docs/gq.md}, Parameters), from the current token of a parser. The
 * parser is left at the last token of the value; after a refusal it may be anywhere in the value. Every refusal is a
 * BAD_REQUEST that names the value. Any thread.
 */
public final class JsonValues {
    private static final int NAMES_SHOWN = 20;

    private JsonValues() {}

    /** Converts a text to a Blob, or refuses it with BAD_REQUEST. */
    @FunctionalInterface
    public interface BlobReader {
        /**
         * Reads one Blob.
         *
         * @param what how the message names it
         */
        Value read(String text, String what);
    }

    /**
     * Reads an argument. Lists may hold nulls.
     *
     * @param what how the message names it, such as {@code parameter `name`}
     */
    public static Value read(PropertyType type, boolean nullable, JsonNode node, String what, BlobReader blobs) {
        try (JsonParser parser = node.traverse()) {
            parser.nextToken();
            return value(type, nullable, parser, what, true, blobs);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads a value that is to be stored: it is not null, not a Blob, and its lists hold no nulls. */
    public static Value readStored(PropertyType type, JsonParser parser, String what) throws IOException {
        return value(type, false, parser, what, false, JsonValues::noBlob);
    }

    private static Value noBlob(String text, String what) {
        throw new IllegalStateException(what + ": blobs to be stored are read by their intake");
    }

    private static Value value(
            PropertyType type, boolean nullable, JsonParser parser, String what, boolean nullItems, BlobReader blobs)
            throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            if (nullable) {
                return Value.NULL;
            }
            throw ServiceException.badRequest(what + " is required and cannot be null");
        }
        return switch (type) {
            case PropertyType.Scalar scalar -> scalar(scalar.scalar(), parser, what, blobs);
            case PropertyType.EnumOf words -> word(words, parser, what);
            case PropertyType.VectorOf vector -> vector(vector.dimensions(), parser, what);
            case PropertyType.AnyInteger any -> throw any.undeclared();
            case PropertyType.ListOf list -> list(list, parser, what, nullItems, blobs);
        };
    }

    private static Value list(
            PropertyType.ListOf type, JsonParser parser, String what, boolean nullItems, BlobReader blobs)
            throws IOException {
        require(JsonToken.START_ARRAY, parser, what, "an array");
        List<Value> items = new ArrayList<>();
        PropertyType item = new PropertyType.Scalar(type.item());
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (parser.currentToken() == JsonToken.VALUE_NULL && !nullItems) {
                throw ServiceException.badRequest(
                        what + " holds null at index " + items.size() + "; a stored list cannot");
            }
            items.add(value(item, nullItems, parser, what + " at index " + items.size(), nullItems, blobs));
        }
        return new Value.ListOf(items);
    }

    private static Value vector(int dimensions, JsonParser parser, String what) throws IOException {
        require(JsonToken.START_ARRAY, parser, what, "an array of " + dimensions + " numbers");
        float[] items = new float[dimensions];
        int size = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (size < dimensions) {
                items[size] = (float) real(ScalarType.F32, parser, what + " at index " + size);
            } else {
                parser.skipChildren();
            }
            size++;
        }
        if (size != dimensions) {
            throw ServiceException.badRequest(what + " must have " + dimensions + " numbers, not " + size);
        }
        return new Value.Vector(items);
    }

    private static Value word(PropertyType.EnumOf type, JsonParser parser, String what) throws IOException {
        String word = text(parser, what);
        List<String> words = type.values();
        if (!words.contains(word)) {
            String shown = String.join(", ", words.subList(0, Math.min(NAMES_SHOWN, words.size())));
            throw ServiceException.badRequest(what + " must be one of " + shown
                    + (words.size() > NAMES_SHOWN ? ", …" : "") + ", not `" + word + "`");
        }
        return new Value.Text(word);
    }

    private static Value scalar(ScalarType type, JsonParser parser, String what, BlobReader blobs) throws IOException {
        return switch (type) {
            case STRING -> new Value.Text(text(parser, what));
            case BOOL -> {
                if (!parser.currentToken().isBoolean()) {
                    throw mismatch(what, "true or false", parser);
                }
                yield new Value.Bool(parser.currentToken() == JsonToken.VALUE_TRUE);
            }
            case I32, U32, I64, U64 -> integer(type, parser, what);
            case F32, F64 -> new Value.Real(real(type, parser, what));
            case DATE -> {
                require(JsonToken.VALUE_STRING, parser, what, "a Date such as \"2024-01-31\"");
                yield date(text(parser, what), what);
            }
            case DATETIME -> {
                require(JsonToken.VALUE_STRING, parser, what, "a DateTime such as \"2024-01-31T12:34:56Z\"");
                yield dateTime(text(parser, what), what);
            }
            case BLOB -> blobs.read(text(parser, what), what);
        };
    }

    private static Value date(String text, String what) {
        try {
            return new Value.Date(CalendarText.parseDate(text));
        } catch (IllegalArgumentException e) {
            throw ServiceException.badRequest(
                    what + " must be a Date such as \"2024-01-31\", not \"" + shorten(text) + "\": " + e.getMessage());
        }
    }

    private static Value dateTime(String text, String what) {
        try {
            return new Value.DateTime(CalendarText.parseDateTime(text));
        } catch (IllegalArgumentException e) {
            throw ServiceException.badRequest(what
                    + " must be a DateTime such as \"2024-01-31T12:34:56Z\", not \""
                    + shorten(text)
                    + "\": "
                    + e.getMessage());
        }
    }

    private static Value integer(ScalarType type, JsonParser parser, String what) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            if (parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
                return integer(type, parser.getLongValue(), what);
            }
            return integer(type, parser.getBigIntegerValue(), what);
        }
        if (parser.currentToken() == JsonToken.VALUE_STRING && (type == ScalarType.I64 || type == ScalarType.U64)) {
            String digits = parser.getText();
            if (!isDecimal(digits)) {
                throw ServiceException.badRequest(
                        what + " must be an integer or its decimal digits, not \"" + shorten(digits) + "\"");
            }
            return integer(type, new BigInteger(digits), what);
        }
        throw mismatch(what, "an integer", parser);
    }

    private static Value integer(ScalarType type, BigInteger number, String what) {
        if (type == ScalarType.U64 && number.signum() >= 0 && number.bitLength() <= 64) {
            return new Value.UInt(number.longValue());
        }
        if (number.bitLength() > 63) {
            throw outOfRange(type, what, number.toString());
        }
        return integer(type, number.longValue(), what);
    }

    private static Value integer(ScalarType type, long number, String what) {
        boolean fits = switch (type) {
            case I32 -> number == (int) number;
            case U32 -> number >= 0 && number <= 0xFFFF_FFFFL;
            case U64 -> number >= 0;
            default -> true;
        };
        if (!fits) {
            throw outOfRange(type, what, Long.toString(number));
        }
        return type == ScalarType.U64 ? new Value.UInt(number) : new Value.Int(number);
    }

    /** Whether the text is an integer of at most 20 digits with an optional minus, which an I64 or U64 may be. */
    private static boolean isDecimal(String text) {
        int start = text.startsWith("-") ? 1 : 0;
        int digits = text.length() - start;
        if (digits < 1 || digits > 20) {
            return false;
        }
        for (int i = start; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    private static double real(ScalarType type, JsonParser parser, String what) throws IOException {
        if (!parser.currentToken().isNumeric()) {
            throw mismatch(what, "a number", parser);
        }
        // Parsed from the text: the float of a tree's parser is rounded twice.
        double value = type == ScalarType.F32 ? Float.parseFloat(parser.getText()) : parser.getDoubleValue();
        if (Double.isNaN(value)) {
            throw ServiceException.badRequest(what + " must be a finite number, not NaN");
        }
        if (Double.isInfinite(value)) {
            throw outOfRange(type, what, shorten(parser.getText()));
        }
        return value;
    }

    private static String text(JsonParser parser, String what) throws IOException {
        require(JsonToken.VALUE_STRING, parser, what, "a string");
        String text = parser.getText();
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw ServiceException.badRequest(what + " is not valid text: it holds half a surrogate pair");
        }
        return text;
    }

    private static void require(JsonToken token, JsonParser parser, String what, String wanted) throws IOException {
        if (parser.currentToken() != token) {
            throw mismatch(what, wanted, parser);
        }
    }

    private static ServiceException mismatch(String what, String wanted, JsonParser parser) throws IOException {
        return ServiceException.badRequest(what + " must be " + wanted + ", not " + describe(parser));
    }

    /** A JSON value as a message about a wrong type names it. */
    static String describe(JsonNode node) {
        try (JsonParser parser = node.traverse()) {
            parser.nextToken();
            return describe(parser);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String describe(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_ARRAY -> "an array";
            case START_OBJECT -> "an object";
            case VALUE_STRING -> "the string \"" + shorten(parser.getText()) + "\"";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "the number " + shorten(parser.getText());
            default -> parser.getText();
        };
    }

    private static ServiceException outOfRange(ScalarType type, String what, String number) {
        String range = switch (type) {
            case I32 -> "-2147483648 to 2147483647";
            case U32 -> "0 to 4294967295";
            case I64 -> "-9223372036854775808 to 9223372036854775807";
            case U64 -> "0 to 18446744073709551615";
            case F32 -> "-3.4028235e38 to 3.4028235e38";
            default -> "-1.7976931348623157e308 to 1.7976931348623157e308";
        };
        return ServiceException.badRequest(
                what + " is out of range: " + number + " is no " + type.schemaName() + " (" + range + ")");
    }

    private static String shorten(String text) {
        return VisibleText.oneLine(text.length() <= 60 ? text : text.substring(0, 60) + "…");
    }
}
