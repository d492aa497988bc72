package service.core.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import service.core.error.ServiceException;
import service.core.value.CalendarText;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/**
 * JSON to values by declared type ({@code language.md}, Parameters). Every refusal is a BAD_REQUEST that names what was
 * being read. Any thread.
 */
public final class JsonValues {
    private static final int NAMES_SHOWN = 20;

    private JsonValues() {}

    /** Makes a Blob of its text, or refuses with BAD_REQUEST. */
    @FunctionalInterface
    public interface BlobReader {
        /**
         * Reads one.
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
        return read(type, nullable, node, what, true, blobs);
    }

    /** Reads a value that is to be stored: as {@link #read}, but lists hold no nulls. */
    public static Value readStored(PropertyType type, boolean nullable, JsonNode node, String what) {
        return read(type, nullable, node, what, false, JsonValues::noBlob);
    }

    private static Value noBlob(String text, String what) {
        throw new IllegalStateException(what + ": blobs to be stored are read by their intake");
    }

    private static Value read(
            PropertyType type, boolean nullable, JsonNode node, String what, boolean nullItems, BlobReader blobs) {
        if (node.isNull() || node.isMissingNode()) {
            if (nullable) {
                return Value.NULL;
            }
            throw ServiceException.badRequest(what + " is required and cannot be null");
        }
        return switch (type) {
            case PropertyType.Scalar scalar -> scalar(scalar.scalar(), node, what, blobs);
            case PropertyType.EnumOf words -> word(words, node, what);
            case PropertyType.VectorOf vector -> vector(vector.dimensions(), node, what);
            case PropertyType.ListOf list -> list(list, node, what, nullItems, blobs);
        };
    }

    private static Value list(
            PropertyType.ListOf type, JsonNode node, String what, boolean nullItems, BlobReader blobs) {
        if (!node.isArray()) {
            throw mismatch(what, "an array", node);
        }
        List<Value> items = new ArrayList<>(node.size());
        PropertyType item = new PropertyType.Scalar(type.item());
        for (int i = 0; i < node.size(); i++) {
            if (node.get(i).isNull() && !nullItems) {
                throw ServiceException.badRequest(what + " holds null at index " + i + "; a stored list cannot");
            }
            items.add(read(item, nullItems, node.get(i), what + " at index " + i, nullItems, blobs));
        }
        return new Value.ListOf(items);
    }

    private static Value vector(int dimensions, JsonNode node, String what) {
        if (!node.isArray()) {
            throw mismatch(what, "an array of " + dimensions + " numbers", node);
        }
        if (node.size() != dimensions) {
            throw ServiceException.badRequest(what + " must have " + dimensions + " numbers, not " + node.size());
        }
        float[] items = new float[dimensions];
        for (int i = 0; i < dimensions; i++) {
            items[i] = (float) real(node.get(i), true, what + " at index " + i);
        }
        return new Value.Vector(items);
    }

    private static Value word(PropertyType.EnumOf type, JsonNode node, String what) {
        String word = text(node, what);
        if (!type.values().contains(word)) {
            throw ServiceException.badRequest(notInEnum(what, word, type));
        }
        return new Value.Text(word);
    }

    /** The message for a word outside an enum. */
    public static String notInEnum(String what, String word, PropertyType.EnumOf type) {
        List<String> words = type.values();
        String shown = String.join(", ", words.subList(0, Math.min(NAMES_SHOWN, words.size())));
        return what + " must be one of " + shown + (words.size() > NAMES_SHOWN ? ", …" : "") + ", not `" + word + "`";
    }

    private static Value scalar(ScalarType type, JsonNode node, String what, BlobReader blobs) {
        return switch (type) {
            case STRING -> new Value.Text(text(node, what));
            case BOOL -> {
                if (!node.isBoolean()) {
                    throw mismatch(what, "true or false", node);
                }
                yield new Value.Bool(node.booleanValue());
            }
            case I32, U32, I64, U64 -> integer(type, node, what);
            case F32 -> new Value.Real(real(node, true, what));
            case F64 -> new Value.Real(real(node, false, what));
            case DATE -> date(text(node, what), what);
            case DATETIME -> dateTime(text(node, what), what);
            case BLOB -> blobs.read(text(node, what), what);
        };
    }

    /** A Date from its text. */
    public static Value date(String text, String what) {
        try {
            return new Value.Date(CalendarText.parseDate(text));
        } catch (IllegalArgumentException e) {
            throw ServiceException.badRequest(
                    what + " must be a Date such as \"2024-01-31\", not \"" + shorten(text) + "\": " + e.getMessage());
        }
    }

    /** A DateTime from its text. */
    public static Value dateTime(String text, String what) {
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

    private static Value integer(ScalarType type, JsonNode node, String what) {
        BigInteger number;
        if (node.isIntegralNumber()) {
            if (node.canConvertToLong() && type != ScalarType.U64) {
                return integer(type, node.longValue(), what);
            }
            number = node.bigIntegerValue();
        } else if (node.isTextual() && (type == ScalarType.I64 || type == ScalarType.U64)) {
            String digits = node.textValue();
            if (!isDecimal(digits)) {
                throw ServiceException.badRequest(
                        what + " must be an integer or its decimal digits, not \"" + shorten(digits) + "\"");
            }
            number = new BigInteger(digits);
        } else {
            throw mismatch(what, "an integer", node);
        }
        if (type == ScalarType.U64) {
            if (number.signum() < 0 || number.bitLength() > 64) {
                throw outOfRange(type, what, number.toString());
            }
            return new Value.UInt(number.longValue());
        }
        if (number.bitLength() > 63) {
            throw outOfRange(type, what, number.toString());
        }
        return integer(type, number.longValue(), what);
    }

    /** An I32, U32 or I64 with its range checked. */
    public static Value integer(ScalarType type, long number, String what) {
        boolean fits = switch (type) {
            case I32 -> number == (int) number;
            case U32 -> number >= 0 && number <= 0xFFFF_FFFFL;
            default -> true;
        };
        if (!fits) {
            throw outOfRange(type, what, Long.toString(number));
        }
        return new Value.Int(number);
    }

    /** Whether the text is an integer of at most 20 digits with an optional minus: what stands for an I64 or U64. */
    public static boolean isDecimal(String text) {
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

    private static double real(JsonNode node, boolean single, String what) {
        if (!node.isNumber()) {
            throw mismatch(what, "a number", node);
        }
        double value;
        if (node.isBigDecimal()) {
            BigDecimal exact = node.decimalValue();
            value = single ? exact.floatValue() : exact.doubleValue();
        } else {
            value = single ? node.floatValue() : node.doubleValue();
        }
        if (Double.isNaN(value)) {
            throw ServiceException.badRequest(what + " must be a finite number, not NaN");
        }
        if (Double.isInfinite(value)) {
            throw outOfRange(single ? ScalarType.F32 : ScalarType.F64, what, shorten(node.asText()));
        }
        return value;
    }

    private static String text(JsonNode node, String what) {
        if (!node.isTextual()) {
            throw mismatch(what, "a string", node);
        }
        String text = node.textValue();
        if (!isWellFormed(text)) {
            throw ServiceException.badRequest(what + " is not valid text: it holds half a surrogate pair");
        }
        return text;
    }

    /** Whether every surrogate of the text has its other half: what can be stored as UTF-8 and read back alike. */
    public static boolean isWellFormed(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    private static ServiceException mismatch(String what, String wanted, JsonNode node) {
        return ServiceException.badRequest(what + " must be " + wanted + ", not " + describe(node));
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

    /** How a message names a JSON value that is not what was wanted. */
    public static String describe(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "an array";
            case OBJECT -> "an object";
            case STRING -> "the string \"" + shorten(node.textValue()) + "\"";
            case NUMBER -> "the number " + shorten(node.asText());
            case BOOLEAN -> node.asText();
            case NULL, MISSING -> "null";
            case BINARY, POJO -> "something else";
        };
    }

    private static String shorten(String text) {
        return text.length() <= 60 ? text : text.substring(0, 60) + "…";
    }
}
