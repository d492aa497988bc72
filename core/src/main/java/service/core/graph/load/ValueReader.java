package service.core.graph.load;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.blob.LiftedParser;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.core.json.JsonValues;
import service.core.value.CalendarText;
import service.core.value.PropertyRowBuilder;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/**
 * Reads one property value from a parser into a row, by the rules of {@link JsonValues} and with the same outcome, but
 * without boxing the common types.
 */
final class ValueReader {
    private final BlobIntake blobs;

    ValueReader(BlobIntake blobs) {
        this.blobs = blobs;
    }

    /** Reads the value at the current token; returns what is wrong, to stand behind the property's name, or null. */
    @Nullable
    String read(JsonParser parser, PropertyType type, PropertyRowBuilder row, int place) throws IOException {
        if (type instanceof PropertyType.Scalar scalar) {
            return scalar(parser, scalar.scalar(), row, place);
        }
        if (type instanceof PropertyType.EnumOf && parser.currentToken() == JsonToken.VALUE_STRING) {
            // Whether it is one of the words is a constraint, decided with the others.
            return text(parser, row, place);
        }
        return tree(parser, type, row, place);
    }

    private @Nullable String tree(JsonParser parser, PropertyType type, PropertyRowBuilder row, int place)
            throws IOException {
        JsonNode node = Json.tree(parser);
        try {
            row.put(place, JsonValues.readStored(type, false, node, ""));
            return null;
        } catch (ServiceException e) {
            return e.getMessage().strip();
        }
    }

    private @Nullable String scalar(JsonParser parser, ScalarType type, PropertyRowBuilder row, int place)
            throws IOException {
        return switch (type) {
            case STRING ->
                parser.currentToken() == JsonToken.VALUE_STRING ? text(parser, row, place) : "must be a string";
            case BOOL -> bool(parser, row, place);
            case I32, U32, I64 -> integer(parser, type, row, place);
            case U64 -> unsigned(parser, row, place);
            case F32, F64 -> real(parser, type, row, place);
            case DATE, DATETIME -> calendar(parser, type, row, place);
            case BLOB -> blob(parser, row, place);
        };
    }

    private @Nullable String blob(JsonParser parser, PropertyRowBuilder row, int place) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            return "must be \"base64:…\" or an absolute URI";
        }
        Value lifted = parser instanceof LiftedParser lifting ? lifting.blob() : null;
        try {
            row.put(place, lifted != null ? lifted : blobs.readAside(parser.getText(), ""));
            return null;
        } catch (ServiceException e) {
            if (e.code() != ErrorCode.BAD_REQUEST) {
                throw e;
            }
            return e.getMessage().strip();
        }
    }

    private static @Nullable String text(JsonParser parser, PropertyRowBuilder row, int place) throws IOException {
        boolean whole = row.putText(place, parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
        return whole ? null : "is not valid text: it holds half a surrogate pair";
    }

    private static @Nullable String bool(JsonParser parser, PropertyRowBuilder row, int place) {
        JsonToken token = parser.currentToken();
        if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
            return "must be true or false";
        }
        row.putBool(place, token == JsonToken.VALUE_TRUE);
        return null;
    }

    private static @Nullable String integer(JsonParser parser, ScalarType type, PropertyRowBuilder row, int place)
            throws IOException {
        long number;
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
                return "is out of range for " + type.schemaName();
            }
            number = parser.getLongValue();
        } else if (parser.currentToken() == JsonToken.VALUE_STRING && type == ScalarType.I64) {
            String digits = parser.getText();
            if (!JsonValues.isDecimal(digits)) {
                return "must be an integer or its decimal digits";
            }
            BigInteger big = new BigInteger(digits);
            if (big.bitLength() > 63) {
                return "is out of range for I64";
            }
            number = big.longValue();
        } else {
            return "must be an integer";
        }
        boolean fits = switch (type) {
            case I32 -> number == (int) number;
            case U32 -> number >= 0 && number <= 0xFFFF_FFFFL;
            default -> true;
        };
        if (!fits) {
            return "is out of range: " + number + " is no " + type.schemaName();
        }
        row.putInt(place, number);
        return null;
    }

    private static @Nullable String unsigned(JsonParser parser, PropertyRowBuilder row, int place) throws IOException {
        BigInteger number;
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            number = parser.getBigIntegerValue();
        } else if (parser.currentToken() == JsonToken.VALUE_STRING && JsonValues.isDecimal(parser.getText())) {
            number = new BigInteger(parser.getText());
        } else {
            return "must be an integer or its decimal digits";
        }
        if (number.signum() < 0 || number.bitLength() > 64) {
            return "is out of range: " + number + " is no U64";
        }
        row.putUInt(place, number.longValue());
        return null;
    }

    private static @Nullable String real(JsonParser parser, ScalarType type, PropertyRowBuilder row, int place)
            throws IOException {
        JsonToken token = parser.currentToken();
        if (token != JsonToken.VALUE_NUMBER_FLOAT && token != JsonToken.VALUE_NUMBER_INT) {
            return "must be a number";
        }
        double value = type == ScalarType.F32 ? parser.getFloatValue() : parser.getDoubleValue();
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return "is out of range for " + type.schemaName();
        }
        row.putReal(place, value);
        return null;
    }

    private static @Nullable String calendar(JsonParser parser, ScalarType type, PropertyRowBuilder row, int place)
            throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            return "must be a string with a " + type.schemaName();
        }
        String text = parser.getText();
        try {
            if (type == ScalarType.DATE) {
                row.putDate(place, CalendarText.parseDate(text));
            } else {
                row.putDateTime(place, CalendarText.parseDateTime(text));
            }
            return null;
        } catch (IllegalArgumentException e) {
            return "must be a " + type.schemaName() + ": " + e.getMessage();
        }
    }
}
