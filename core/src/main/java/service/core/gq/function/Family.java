package service.core.gq.function;

import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.ValueType;

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
    BLOB,
    RECORD,
    PATH;

    public static Family of(ValueType type) {
        return switch (type) {
            case ValueType.ListOf ignored -> LIST;
            case ValueType.Entity ignored -> ENTITY;
            case ValueType.Struct ignored -> RECORD;
            case ValueType.Path ignored -> PATH;
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
    public static boolean isInteger(ValueType type) {
        return type.equals(PropertyType.ANY_INTEGER)
                || (type instanceof PropertyType.Scalar scalar
                        && scalar.scalar().isInteger());
    }

    /** The type in which two numbers are computed with, or compared with other results. */
    public static PropertyType arithmeticType(PropertyType left, PropertyType right) {
        PropertyType one = arithmeticType(left);
        PropertyType two = arithmeticType(right);
        if (one.equals(PropertyType.F64) || two.equals(PropertyType.F64)) {
            return PropertyType.F64;
        }
        return PropertyType.exceedsI64(one) || PropertyType.exceedsI64(two)
                ? PropertyType.ANY_INTEGER
                : PropertyType.I64;
    }
}
