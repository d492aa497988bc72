package service.projection.query.plan;

import org.jspecify.annotations.Nullable;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueType;

/** Converts constants of a query to the form that indexes store. */
public final class StoredForm {
    private StoredForm() {}

    /** The value as a property of the type stores it, or null when it has no such form, so that no index holds it. */
    public static @Nullable Value of(PropertyType type, Value value) {
        if (!(type instanceof PropertyType.Scalar scalar)) {
            return type instanceof PropertyType.EnumOf && value instanceof Value.Text ? value : null;
        }
        ScalarType kind = scalar.scalar();
        return switch (value) {
            case Value.Text v -> kind == ScalarType.STRING ? v : null;
            case Value.Bool v -> kind == ScalarType.BOOL ? v : null;
            case Value.Date v -> kind == ScalarType.DATE ? v : null;
            case Value.DateTime v -> kind == ScalarType.DATETIME ? v : null;
            case Value.Int v -> storedInt(kind, v);
            case Value.UInt v ->
                kind == ScalarType.U64 ? v : v.bits() >= 0 ? storedInt(kind, new Value.Int(v.bits())) : null;
            case Value.Real v -> {
                // Zero has two stored forms, and a fraction has no integer form.
                boolean storable = v.value() != 0
                        && (kind == ScalarType.F64 || (kind == ScalarType.F32 && (float) v.value() == v.value()));
                yield storable ? v : null;
            }
            case Value.Null ignored -> null;
            case Value.ListOf ignored -> null;
            case Value.Vector ignored -> null;
            case Value.ManagedBlob ignored -> null;
            case Value.ExternalBlob ignored -> null;
            case Value.Computed ignored -> null;
        };
    }

    /** Whether every value of one type, except null, is stored unchanged by the other type. */
    static boolean isSure(PropertyType stored, ValueType given) {
        boolean text = given instanceof PropertyType.EnumOf
                || (given instanceof PropertyType.Scalar scalar && scalar.scalar() == ScalarType.STRING);
        if (stored instanceof PropertyType.EnumOf) {
            return text;
        }
        if (!(stored instanceof PropertyType.Scalar kind)) {
            return false;
        }
        return switch (kind.scalar()) {
            case STRING -> text;
            case I32, I64, U32 ->
                given instanceof PropertyType.Scalar scalar
                        && switch (scalar.scalar()) {
                            case I32, I64, U32 -> true;
                            case STRING, BOOL, U64, F32, F64, DATE, DATETIME, BLOB -> false;
                        };
            case BOOL, DATE, DATETIME, U64 -> stored.equals(given);
            case F32, F64, BLOB -> false;
        };
    }

    private static @Nullable Value storedInt(ScalarType kind, Value.Int value) {
        return switch (kind) {
            case I32, I64, U32 -> value;
            case U64 -> value.value() >= 0 ? new Value.UInt(value.value()) : null;
            case F64 -> {
                boolean exact = value.value() != 0 && Math.abs(value.value()) <= 1L << 53;
                yield exact ? new Value.Real(value.value()) : null;
            }
            case F32 -> {
                boolean exact = value.value() != 0 && Math.abs(value.value()) <= 1L << 24;
                yield exact ? new Value.Real(value.value()) : null;
            }
            case STRING, BOOL, DATE, DATETIME, BLOB -> null;
        };
    }
}
