package service.core.gq.check;

import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/** The families of types. Values of one family can be compared with each other. */
enum Family {
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

    static Family of(Expression expression) {
        PropertyType type = expression.type();
        if (type != null) {
            return of(type);
        }
        if (expression instanceof Expression.EntityOf || expression instanceof Expression.OutputOf) {
            return ENTITY;
        }
        boolean list = expression instanceof Expression.ListOf
                || (expression instanceof Expression.Literal literal && literal.value() instanceof Value.ListOf);
        return list ? LIST : NULL;
    }

    static Family of(PropertyType type) {
        return switch (type) {
            case PropertyType.Scalar scalar -> of(scalar.scalar());
            case PropertyType.EnumOf ignored -> TEXT;
            case PropertyType.ListOf ignored -> LIST;
            case PropertyType.VectorOf ignored -> VECTOR;
            case PropertyType.AnyInteger ignored -> NUMBER;
        };
    }

    static Family of(ScalarType scalar) {
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
    boolean ordered() {
        return this == NUMBER || this == TEXT || this == DATE || this == DATETIME;
    }

    /** The family of a list's items, or null when the list does not determine it. */
    static @Nullable Family ofItems(Expression list) {
        return list.type() instanceof PropertyType.ListOf type ? of(type.item()) : null;
    }

    /** The type of an expression as messages show it. */
    static String name(Expression expression) {
        PropertyType type = expression.type();
        if (type != null) {
            return type.toString();
        }
        return switch (of(expression)) {
            case ENTITY -> "an entity";
            case LIST -> "an empty list";
            default -> "null";
        };
    }

    /** The type in which a number is computed with: F64, I64, U64 or an integer that fits one of both. */
    static PropertyType arithmeticType(PropertyType type) {
        if (PropertyType.isFloat(type)) {
            return PropertyType.F64;
        }
        return PropertyType.exceedsI64(type) ? type : PropertyType.I64;
    }

    /** Whether values of a type are integers. */
    static boolean isInteger(PropertyType type) {
        return type.equals(PropertyType.ANY_INTEGER)
                || (type instanceof PropertyType.Scalar scalar
                        && scalar.scalar().isInteger());
    }

    /** The type of the items of a list that holds values of a type. */
    static ScalarType itemType(PropertyType type) {
        return switch (type) {
            case PropertyType.Scalar scalar -> scalar.scalar();
            case PropertyType.AnyInteger ignored -> ScalarType.I64;
            default -> ScalarType.STRING;
        };
    }
}
