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

    /** The result type of arithmetic on a number. */
    static PropertyType arithmeticType(PropertyType type) {
        ScalarType scalar = scalarOf(type);
        if (scalar.isFloat()) {
            return PropertyType.F64;
        }
        return scalar == ScalarType.U64 ? U64 : PropertyType.I64;
    }

    static final PropertyType U64 = new PropertyType.Scalar(ScalarType.U64);

    static ScalarType scalarOf(PropertyType type) {
        return type instanceof PropertyType.Scalar scalar ? scalar.scalar() : ScalarType.STRING;
    }
}
