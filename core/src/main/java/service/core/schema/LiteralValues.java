package service.core.schema;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.schema.syntax.SyntaxTree.Literal;
import service.core.schema.syntax.SyntaxTree.LiteralKind;
import service.core.value.CalendarText;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/** Converts literals of a schema to values of a type. */
final class LiteralValues {
    private static final BigInteger U64_MAX = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    private LiteralValues() {}

    /**
     * The value, or null when the literal has another type.
     *
     * @param accepted whether the schema was accepted before, perhaps by a version that refused less
     */
    static @Nullable Value of(Literal literal, PropertyType type, boolean accepted) {
        return switch (type) {
            case PropertyType.EnumOf words ->
                literal.kind() != LiteralKind.LIST && words.values().contains(literal.text())
                        ? new Value.Text(literal.text())
                        : null;
            case PropertyType.ListOf list -> list(literal, new PropertyType.Scalar(list.item()), accepted);
            case PropertyType.VectorOf ignored -> null;
            case PropertyType.AnyInteger any -> throw any.undeclared();
            case PropertyType.Scalar scalar -> scalar(literal, scalar.scalar(), accepted);
        };
    }

    /** The hint for a literal that is no value of a type. */
    static String howToWrite(Literal literal, PropertyType type) {
        if (literal.kind() == LiteralKind.DATETIME && type.equals(PropertyType.DATETIME)) {
            try {
                CalendarText.parseDateTime(literal.text());
            } catch (IllegalArgumentException e) {
                return e.getMessage() + "; write datetime(\"2024-01-31T12:00:00Z\")";
            }
        }
        return howToWrite(type);
    }

    private static String howToWrite(PropertyType type) {
        return switch (type) {
            case PropertyType.EnumOf words -> "the values are " + String.join(", ", words.values());
            case PropertyType.ListOf list -> "write a list of " + list.item().schemaName() + " in brackets: [ … ]";
            case PropertyType.VectorOf ignored -> "a Vector has no literal: leave it out";
            case PropertyType.AnyInteger any -> throw any.undeclared();
            case PropertyType.Scalar scalar ->
                switch (scalar.scalar()) {
                    case STRING -> "write it in double quotes: \"…\"";
                    case BOOL -> "write true or false";
                    case I32 -> "write a whole number from -2147483648 to 2147483647";
                    case I64 -> "write a whole number from -9223372036854775808 to 9223372036854775807";
                    case U32 -> "write a whole number from 0 to 4294967295";
                    case U64 -> "write a whole number from 0 to 18446744073709551615";
                    case F32 -> "write a number from -3.4028235e38 to 3.4028235e38";
                    case F64 -> "write a number from -1.7976931348623157e308 to 1.7976931348623157e308";
                    case DATE -> "write a day that exists: date(\"2024-01-31\")";
                    case DATETIME -> "write datetime(\"2024-01-31T12:00:00Z\")";
                    case BLOB -> "a Blob has no literal: leave it out";
                };
        };
    }

    private static @Nullable Value list(Literal literal, PropertyType item, boolean accepted) {
        if (literal.kind() != LiteralKind.LIST) {
            return null;
        }
        List<Value> items = new ArrayList<>();
        for (Literal each : literal.items()) {
            Value value = of(each, item, accepted);
            if (value == null) {
                return null;
            }
            items.add(value);
        }
        return new Value.ListOf(items);
    }

    private static @Nullable Value scalar(Literal literal, ScalarType type, boolean accepted) {
        try {
            return switch (type) {
                case STRING -> literal.kind() == LiteralKind.STRING ? new Value.Text(literal.text()) : null;
                case BOOL ->
                    switch (literal.kind() == LiteralKind.WORD ? literal.text() : "") {
                        case "true" -> new Value.Bool(true);
                        case "false" -> new Value.Bool(false);
                        default -> null;
                    };
                case I32, I64, U32, U64 -> literal.kind() == LiteralKind.NUMBER ? integer(literal.text(), type) : null;
                case F32, F64 -> literal.kind() == LiteralKind.NUMBER ? real(literal.text(), type) : null;
                case DATE ->
                    literal.kind() == LiteralKind.DATE ? new Value.Date(CalendarText.parseDate(literal.text())) : null;
                case DATETIME ->
                    literal.kind() == LiteralKind.DATETIME
                            ? new Value.DateTime(
                                    accepted
                                            ? CalendarText.parseAcceptedDateTime(literal.text())
                                            : CalendarText.parseDateTime(literal.text()))
                            : null;
                case BLOB -> null;
            };
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable Value integer(String text, ScalarType type) {
        if (!text.matches("-?[0-9]{1,20}")) {
            return null;
        }
        BigInteger number = new BigInteger(text);
        BigInteger min = switch (type) {
            case I32 -> BigInteger.valueOf(Integer.MIN_VALUE);
            case I64 -> BigInteger.valueOf(Long.MIN_VALUE);
            default -> BigInteger.ZERO;
        };
        BigInteger max = switch (type) {
            case I32 -> BigInteger.valueOf(Integer.MAX_VALUE);
            case I64 -> BigInteger.valueOf(Long.MAX_VALUE);
            case U32 -> BigInteger.valueOf(0xFFFF_FFFFL);
            default -> U64_MAX;
        };
        if (number.compareTo(min) < 0 || number.compareTo(max) > 0) {
            return null;
        }
        return type == ScalarType.U64 ? new Value.UInt(number.longValue()) : new Value.Int(number.longValue());
    }

    private static @Nullable Value real(String text, ScalarType type) {
        double number = type == ScalarType.F32 ? Float.parseFloat(text) : Double.parseDouble(text);
        return Double.isFinite(number) ? new Value.Real(number) : null;
    }
}
