package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/** Finds the type that several values have in common. */
final class ValueTypes {
    private ValueTypes() {}

    /** The type that values of both types have; null if there is none. */
    static @Nullable ValueType common(ValueType left, ValueType right) {
        if (left.equals(right)) {
            return left;
        }
        Family family = Family.of(left);
        if (family != Family.of(right)) {
            return null;
        }
        return switch (family) {
            case NUMBER -> Family.arithmeticType((PropertyType) left, (PropertyType) right);
            case TEXT -> PropertyType.STRING;
            case LIST -> {
                ValueType one = ValueType.itemOf(left);
                ValueType two = ValueType.itemOf(right);
                ValueType item = one == null || two == null ? null : common(one, two);
                yield item == null ? null : ValueType.listOf(item);
            }
            case ENTITY -> commonEntity((ValueType.Entity) left, (ValueType.Entity) right);
            case RECORD -> commonRecord((ValueType.Struct) left, (ValueType.Struct) right);
            case PATH -> commonPath((ValueType.Path) left, (ValueType.Path) right);
            case BOOL, DATE, DATETIME, VECTOR, BLOB, NULL -> null;
        };
    }

    private static ValueType.@Nullable Entity commonEntity(ValueType.Entity left, ValueType.Entity right) {
        return left.kind() == right.kind()
                ? new ValueType.Entity(left.kind(), ValueType.union(left.types(), right.types()))
                : null;
    }

    private static @Nullable ValueType commonPath(ValueType.Path left, ValueType.Path right) {
        ValueType.Entity nodes = commonEntity(left.nodes(), right.nodes());
        ValueType.Entity edges = commonEntity(left.edges(), right.edges());
        return nodes == null || edges == null
                ? null
                : new ValueType.Path(nodes, edges, left.isCosted() && right.isCosted());
    }

    private static @Nullable ValueType commonRecord(ValueType.Struct left, ValueType.Struct right) {
        if (!left.names().equals(right.names())) {
            return null;
        }
        List<ValueType.Field> fields = new ArrayList<>();
        for (int i = 0; i < left.fields().size(); i++) {
            ValueType one = left.fields().get(i).type();
            ValueType two = right.fields().get(i).type();
            ValueType both = one == null ? two : two == null ? one : common(one, two);
            if (both == null && one != null) {
                return null;
            }
            fields.add(new ValueType.Field(left.fields().get(i).name(), both));
        }
        return new ValueType.Struct(fields);
    }

    /**
     * The type that a value has in common with those before it. A literal that is not negative takes the type U64 from
     * them.
     *
     * @param before null when they are all null
     * @throws Unlike when there is none
     */
    static @Nullable ValueType common(@Nullable ValueType before, Expression next) throws Unlike {
        ValueType type = next.type();
        if (before == null || type == null) {
            return before == null ? type : before;
        }
        boolean isNatural = next instanceof Expression.Literal written
                && written.value() instanceof Value.Int number
                && number.value() >= 0;
        ValueType common = before.equals(PropertyType.U64) && isNatural ? before : common(before, type);
        if (common == null) {
            throw new Unlike(before, type);
        }
        return common;
    }

    /**
     * The same expression; a list whose items do not say their type, such as {@code []}, is one of strings, so that a
     * variable can hold it.
     */
    static Expression typed(Expression expression) {
        return isUntypedList(expression) ? typed(expression, ValueType.listOf(PropertyType.STRING)) : expression;
    }

    /** An untyped list as one of that type, which is one of lists. */
    static Expression typed(Expression untyped, ValueType type) {
        return untyped instanceof Expression.Literal literal
                ? new Expression.Literal(literal.value(), type)
                : new Expression.ListOf(untyped.operands(), type);
    }

    /** Whether an expression is a list whose items do not say their type. */
    static boolean isUntypedList(Expression expression) {
        return expression.type() == null && expression.family() == Family.LIST;
    }

    /** Two types have no common one. */
    static final class Unlike extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient ValueType one;
        private final transient ValueType other;

        private Unlike(ValueType one, ValueType other) {
            super(null, null, false, false);
            this.one = one;
            this.other = other;
        }

        /** The types in words. */
        String pair() {
            return shown(one) + " and " + shown(other);
        }

        private static String shown(ValueType type) {
            return type instanceof ValueType.Entity ? "a " + type : type.toString();
        }
    }
}
