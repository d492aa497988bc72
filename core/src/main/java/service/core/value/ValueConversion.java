package service.core.value;

import java.util.ArrayList;
import java.util.List;

/**
 * Converts a value to another type of the same family, as an assignment does: integers change width when they fit,
 * numbers become floats, text becomes a word of an enum, a list of numbers becomes a vector.
 */
public final class ValueConversion {
    private static final long U32_MAX = 0xFFFF_FFFFL;

    private ValueConversion() {}

    /**
     * The value converted to the type; {@link Value#NULL} stays null.
     *
     * @throws IllegalArgumentException with the reason, to be written after the name of the value: {@code 300000000000
     *     does not fit I32}
     */
    public static Value convert(Value value, PropertyType type) {
        if (value instanceof Value.Null) {
            return value;
        }
        return switch (type) {
            case PropertyType.Scalar scalar -> scalar(value, scalar.scalar());
            case PropertyType.EnumOf words -> word(value, words);
            case PropertyType.ListOf list -> list(value, list);
            case PropertyType.VectorOf vector -> vector(value, vector.dimensions());
            case PropertyType.AnyInteger ignored -> {
                if (value instanceof Value.Int || value instanceof Value.UInt) {
                    yield value;
                }
                throw unlike(value, "integer");
            }
        };
    }

    private static Value scalar(Value value, ScalarType type) {
        boolean fits = switch (type) {
            case STRING -> value instanceof Value.Text;
            case BOOL -> value instanceof Value.Bool;
            case DATE -> value instanceof Value.Date;
            case DATETIME -> value instanceof Value.DateTime;
            case BLOB -> value instanceof Value.ManagedBlob || value instanceof Value.ExternalBlob;
            case I32, I64, U32, U64, F32, F64 -> false;
        };
        if (fits) {
            return value;
        }
        if (type.isInteger()) {
            return integer(value, type);
        }
        if (type.isFloat()) {
            return real(value, type);
        }
        throw unlike(value, type.schemaName());
    }

    private static Value integer(Value value, ScalarType type) {
        switch (value) {
            case Value.Int v -> {
                long n = v.value();
                boolean fits = switch (type) {
                    case I32 -> n == (int) n;
                    case U32 -> n >= 0 && n <= U32_MAX;
                    case U64 -> n >= 0;
                    default -> true;
                };
                if (fits) {
                    return type == ScalarType.U64 ? new Value.UInt(n) : v;
                }
            }
            case Value.UInt v -> {
                if (type == ScalarType.U64) {
                    return v;
                }
                if (v.bits() >= 0) {
                    return integer(new Value.Int(v.bits()), type);
                }
            }
            default -> throw unlike(value, type.schemaName());
        }
        throw new IllegalArgumentException(describe(value) + " does not fit " + type.schemaName());
    }

    private static Value real(Value value, ScalarType type) {
        double number = switch (value) {
            case Value.Int v -> v.value();
            case Value.UInt v -> unsignedToDouble(v.bits());
            case Value.Real v -> v.value();
            default -> throw unlike(value, type.schemaName());
        };
        double rounded = type == ScalarType.F32 ? (float) number : number;
        if (Double.isInfinite(rounded)) {
            throw new IllegalArgumentException(describe(value) + " does not fit " + type.schemaName());
        }
        return value instanceof Value.Real v && v.value() == rounded ? v : new Value.Real(rounded);
    }

    /** The float nearest to an unsigned integer. */
    public static double unsignedToDouble(long bits) {
        if (bits >= 0) {
            return bits;
        }
        // Halve, and keep the lost bit as the lowest one, so that rounding to nearest stays right; then double.
        return (double) ((bits >>> 1) | (bits & 1)) * 2.0;
    }

    private static Value word(Value value, PropertyType.EnumOf type) {
        if (!(value instanceof Value.Text text)) {
            throw unlike(value, type.toString());
        }
        if (!type.values().contains(text.value())) {
            throw new IllegalArgumentException(describe(value) + " is not one of " + type);
        }
        return value;
    }

    private static Value list(Value value, PropertyType.ListOf type) {
        if (!(value instanceof Value.ListOf list)) {
            throw unlike(value, type.toString());
        }
        List<Value> items = new ArrayList<>(list.items().size());
        for (Value item : list.items()) {
            if (item instanceof Value.Null) {
                throw new IllegalArgumentException("a stored list holds no null");
            }
            items.add(scalar(item, type.item()));
        }
        return new Value.ListOf(items);
    }

    private static Value vector(Value value, int dimensions) {
        if (value instanceof Value.Vector vector) {
            if (vector.items().length == dimensions) {
                return vector;
            }
            throw new IllegalArgumentException(
                    "a vector of " + vector.items().length + " dimensions is not a Vector(" + dimensions + ")");
        }
        if (!(value instanceof Value.ListOf list) || list.items().size() != dimensions) {
            throw unlike(value, "Vector(" + dimensions + ")");
        }
        float[] items = new float[dimensions];
        for (int i = 0; i < dimensions; i++) {
            Value item = scalar(list.items().get(i), ScalarType.F32);
            if (!(item instanceof Value.Real number)) {
                throw new IllegalArgumentException("a vector holds no null");
            }
            items[i] = (float) number.value();
        }
        return new Value.Vector(items);
    }

    private static IllegalArgumentException unlike(Value value, String type) {
        return new IllegalArgumentException(describe(value) + " is no " + type);
    }

    /** A value as messages show it; long text is shortened. */
    public static String describe(Value value) {
        return switch (value) {
            case Value.Null ignored -> "null";
            case Value.Bool v -> String.valueOf(v.value());
            case Value.Int v -> String.valueOf(v.value());
            case Value.UInt v -> Long.toUnsignedString(v.bits());
            case Value.Real v -> ShortestDecimal.of(v.value());
            case Value.Text v ->
                "\"" + VisibleText.oneLine(v.value().length() > 40 ? v.value().substring(0, 40) + "…" : v.value())
                        + "\"";
            case Value.Date v -> CalendarText.date(v.epochDay());
            case Value.DateTime v -> CalendarText.dateTime(v.epochMillis());
            case Value.ListOf v -> "a list of " + v.items().size();
            case Value.Vector v -> "a vector of " + v.items().length + " dimensions";
            case Value.ManagedBlob ignored -> "a blob";
            case Value.ExternalBlob ignored -> "a reference to a blob";
            case Value.Entity ignored -> "an entity";
            case Value.Struct ignored -> "a record";
            case Value.Path ignored -> "a path";
        };
    }
}
