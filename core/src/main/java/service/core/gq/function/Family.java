package service.core.gq.function;

import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** The families of types. Values of one family can be compared with each other. */
public enum Family {
    NULL,
    ENTITY,
    NUMBER,
    TEXT,
    BOOL,
    DATE,
    DATETIME,
    LIST,
    VECTOR,
    BLOB;

    public static Family of(PropertyType type) {
        return switch (type) {
            case PropertyType.Scalar scalar -> of(scalar.scalar());
            case PropertyType.EnumOf ignored -> TEXT;
            case PropertyType.ListOf ignored -> LIST;
            case PropertyType.VectorOf ignored -> VECTOR;
            case PropertyType.AnyInteger ignored -> NUMBER;
        };
    }

    public static Family of(ScalarType scalar) {
        return switch (scalar) {
            case STRING -> TEXT;
            case BOOL -> BOOL;
            case I32, I64, U32, U64, F32, F64 -> NUMBER;
            case DATE -> DATE;
            case DATETIME -> DATETIME;
            case BLOB -> BLOB;
        };
    }

    /** Whether the family is ordered. */
    public boolean ordered() {
        return this == NUMBER || this == TEXT || this == DATE || this == DATETIME;
    }

    /** The type in which a number is computed with: F64, I64, U64 or an integer that fits one of both. */
    public static PropertyType arithmeticType(PropertyType type) {
        if (PropertyType.isFloat(type)) {
            return PropertyType.F64;
        }
        return PropertyType.exceedsI64(type) ? type : PropertyType.I64;
    }

    /** Whether values of a type are integers. */
    public static boolean isInteger(PropertyType type) {
        return type.equals(PropertyType.ANY_INTEGER)
                || (type instanceof PropertyType.Scalar scalar
                        && scalar.scalar().isInteger());
    }

    /** The type of the items of a list that holds values of a type. */
    public static ScalarType itemType(PropertyType type) {
        return switch (type) {
            case PropertyType.Scalar scalar -> scalar.scalar();
            case PropertyType.AnyInteger ignored -> ScalarType.I64;
            default -> ScalarType.STRING;
        };
    }
}
