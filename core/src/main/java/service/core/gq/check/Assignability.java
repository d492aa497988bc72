package service.core.gq.check;

import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.text.Span;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueConversion;
import service.core.value.ValueType;

/** Checks which expressions may be stored in a property or a parameter of a type. */
final class Assignability {
    private Assignability() {}

    /** Converts a literal to a value of the type; returns null after noting a finding. */
    static @Nullable Value literal(Value value, PropertyType type, Span span, String what, QueryFindings findings) {
        if (value instanceof Value.Text text
                && type instanceof PropertyType.EnumOf words
                && !words.values().contains(text.value())) {
            findings.note("T26", span, notInEnum(text.value(), words), enumHint(text.value(), words));
            return null;
        }
        try {
            return ValueConversion.convert(value, type);
        } catch (IllegalArgumentException e) {
            findings.note(
                    "T4", span, what + " is of type " + type + ": " + e.getMessage(), hint(Family.of(type), value));
            return null;
        }
    }

    /** Whether a value that is known only at run time may be stored; the run-time check decides on range and enum. */
    static boolean fits(Expression value, PropertyType type) {
        Family family = value.family();
        Family wanted = Family.of(type);
        if (family == Family.NULL) {
            return true;
        }
        if (wanted == Family.VECTOR && family == Family.LIST) {
            Family items = value.itemFamily();
            return items == null || items == Family.NUMBER;
        }
        if (family != wanted || value.type() == null) {
            return family == wanted && wanted == Family.LIST;
        }
        ValueType given = value.type();
        return switch (wanted) {
            case NUMBER -> PropertyType.isFloat(type) || Family.isInteger(given);
            case LIST ->
                given instanceof PropertyType.ListOf from
                        && type instanceof PropertyType.ListOf to
                        && itemFits(from.item(), to.item());
            case VECTOR -> given.equals(type);
            default -> true;
        };
    }

    private static boolean itemFits(ScalarType from, ScalarType to) {
        return Family.of(from) == Family.of(to) && (!to.isInteger() || from.isInteger());
    }

    static String notInEnum(String word, PropertyType.EnumOf words) {
        return "`\"" + word + "\"` is not a value of " + words;
    }

    static @Nullable String enumHint(String word, PropertyType.EnumOf words) {
        return QueryFindings.nearOr(word, words.values(), "the values are " + String.join(", ", words.values()));
    }

    /** The hint for a literal of another type than the family that is needed. */
    static @Nullable String hint(Family wanted, Value given) {
        return switch (wanted) {
            case DATE -> "write `date(\"2024-01-31\")`";
            case DATETIME -> "write `datetime(\"2024-01-31T12:00:00Z\")`";
            case TEXT -> given instanceof Value.Text ? null : "put it in double quotes";
            case NUMBER -> given instanceof Value.Text ? "write the number without quotes" : null;
            case BLOB -> "pass the blob as a parameter of type Blob";
            default -> null;
        };
    }
}
