package service.core.graph;

import java.util.ArrayList;
import java.util.List;
import service.core.error.ServiceException;
import service.core.json.JsonValues;
import service.core.schema.Property;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/**
 * Brings a computed value to the type of the property that is to hold it. The type checker has seen
 * to families; widths, signs, enum words and nulls in lists show only at run time. Whether null is
 * allowed is a constraint and decided with the others.
 */
final class Coercion {
    private Coercion() {}

    /**
     * The value as the property stores it; BAD_REQUEST naming the property when it does not fit.
     */
    static Value toProperty(Property property, Value value) {
        return to(property.type(), value, "property `" + property.name() + "`");
    }

    private static Value to(PropertyType type, Value value, String what) {
        if (value instanceof Value.Null) {
            return value;
        }
        return switch (type) {
            case PropertyType.Scalar scalar -> scalar(scalar.scalar(), value, what);
            case PropertyType.EnumOf words -> {
                if (value instanceof Value.Text text && words.values().contains(text.value())) {
                    yield value;
                }
                throw ServiceException.badRequest(
                        value instanceof Value.Text text
                                ? JsonValues.notInEnum(what, text.value(), words)
                                : what + " must be a word of " + words);
            }
            case PropertyType.VectorOf vector -> {
                if (value instanceof Value.Vector given
                        && given.items().length == vector.dimensions()) {
                    yield value;
                }
                throw ServiceException.badRequest(what + " must be a " + vector);
            }
            case PropertyType.ListOf list -> list(list, value, what);
        };
    }

    private static Value list(PropertyType.ListOf type, Value value, String what) {
        if (!(value instanceof Value.ListOf given)) {
            throw ServiceException.badRequest(what + " must be a " + type);
        }
        PropertyType item = new PropertyType.Scalar(type.item());
        List<Value> items = new ArrayList<>(given.items().size());
        for (Value element : given.items()) {
            if (element instanceof Value.Null) {
                throw ServiceException.badRequest(what + " cannot store a list that holds null");
            }
            items.add(to(item, element, what));
        }
        return new Value.ListOf(items);
    }

    private static Value scalar(ScalarType type, Value value, String what) {
        return switch (type) {
            case I32, U32, I64 -> JsonValues.integer(type, signed(type, value, what), what);
            case U64 -> unsigned(value, what);
            case F32, F64 -> real(type, value, what);
            case BLOB ->
                    throw ServiceException.badRequest(
                            what
                                    + " is a Blob; this build has no blob store, so it can only be null");
            case STRING -> require(value instanceof Value.Text, type, value, what);
            case BOOL -> require(value instanceof Value.Bool, type, value, what);
            case DATE -> require(value instanceof Value.Date, type, value, what);
            case DATETIME -> require(value instanceof Value.DateTime, type, value, what);
        };
    }

    private static long signed(ScalarType type, Value value, String what) {
        return switch (value) {
            case Value.Int v -> v.value();
            case Value.UInt v when v.bits() >= 0 -> v.bits();
            default -> throw misfit(type, what);
        };
    }

    private static Value unsigned(Value value, String what) {
        return switch (value) {
            case Value.UInt v -> v;
            case Value.Int v when v.value() >= 0 -> new Value.UInt(v.value());
            default -> throw misfit(ScalarType.U64, what);
        };
    }

    private static Value real(ScalarType type, Value value, String what) {
        double number =
                switch (value) {
                    case Value.Real v -> v.value();
                    case Value.Int v -> v.value();
                    case Value.UInt v ->
                            new java.math.BigInteger(Long.toUnsignedString(v.bits())).doubleValue();
                    default -> throw misfit(type, what);
                };
        double fitted = type == ScalarType.F32 ? (float) number : number;
        if (Double.isNaN(fitted) || Double.isInfinite(fitted)) {
            throw misfit(type, what);
        }
        return new Value.Real(fitted);
    }

    private static Value require(boolean fits, ScalarType type, Value value, String what) {
        if (!fits) {
            throw misfit(type, what);
        }
        return value;
    }

    private static ServiceException misfit(ScalarType type, String what) {
        return ServiceException.badRequest(what + ": the value does not fit " + type.schemaName());
    }
}
