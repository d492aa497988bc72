package service.core.gq.plan;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.gq.function.Family;
import service.core.gq.function.Function;
import service.core.value.Direction;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * A bound, type-checked expression. {@link #type()} is null only for the literal null and for a bare entity. Logic is
 * three-valued; null means unknown.
 */
public sealed interface Expression {
    @Nullable
    PropertyType type();

    /** The family of the type; that of the literal null is NULL. */
    default Family family() {
        PropertyType type = type();
        if (type != null) {
            return Family.of(type);
        }
        if (this instanceof EntityOf || this instanceof OutputOf) {
            return Family.ENTITY;
        }
        boolean list =
                this instanceof ListOf || (this instanceof Literal literal && literal.value() instanceof Value.ListOf);
        return list ? Family.LIST : Family.NULL;
    }

    /** The family of a list's items, or null when the list does not determine it. */
    default @Nullable Family itemFamily() {
        return type() instanceof PropertyType.ListOf list ? Family.of(list.item()) : null;
    }

    /** The type as messages show it. */
    default String typeName() {
        PropertyType type = type();
        if (type != null) {
            return type.toString();
        }
        return switch (family()) {
            case ENTITY -> "an entity";
            case LIST -> "an empty list";
            default -> "null";
        };
    }

    /** The direct operands of this expression, in the order of the source. */
    default List<Expression> operands() {
        return switch (this) {
            case Literal ignored -> List.of();
            case Argument ignored -> List.of();
            case PropertyOf ignored -> List.of();
            case IdOf ignored -> List.of();
            case TypeOf ignored -> List.of();
            case EndOf ignored -> List.of();
            case EntityOf ignored -> List.of();
            case OutputOf ignored -> List.of();
            case ValueOf ignored -> List.of();
            case Not e -> List.of(e.operand());
            case And e -> e.operands();
            case Or e -> e.operands();
            case Compare e -> List.of(e.left(), e.right());
            case TextTest e -> List.of(e.left(), e.right());
            case In e -> List.of(e.left(), e.list());
            case ListOf e -> e.items();
            case IsNull e -> List.of(e.operand());
            case Arithmetic e -> List.of(e.left(), e.right());
            case Negate e -> List.of(e.operand());
            case Call e -> e.arguments();
            case Aggregate e -> List.of(e.operand());
        };
    }

    record Literal(Value value, @Nullable PropertyType type) implements Expression {}

    /** The argument of the declared parameter with that index. */
    record Argument(int index, String name, PropertyType type) implements Expression {}

    /**
     * A property of the entity in a slot; the identity depends on the type of the entity where the variable has several
     * types. Null when the slot is null and for an entity of a type that the map does not hold.
     */
    record PropertyOf(int slot, String name, Map<Integer, Integer> identityByType, PropertyType type)
            implements Expression {}

    /** {@code $v.@id}. */
    record IdOf(int slot) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.STRING;
        }
    }

    /** {@code $v.@type}. */
    record TypeOf(int slot) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.STRING;
        }
    }

    /** {@code $w.@src} (OUT) and {@code $w.@dst} (IN): the id of an edge's end. */
    record EndOf(int slot, Direction end) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.STRING;
        }
    }

    /** A bare node or edge variable: an object in a result, an identity in {@code count} and {@code distinct}. */
    record EntityOf(int slot) implements Expression {
        @Override
        public @Nullable PropertyType type() {
            return null;
        }
    }

    /** A variable that is bound to a value. */
    record ValueOf(int slot, PropertyType type) implements Expression {}

    record Not(Expression operand) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.BOOL;
        }
    }

    record And(List<Expression> operands) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.BOOL;
        }
    }

    record Or(List<Expression> operands) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.BOOL;
        }
    }

    /** The six comparisons. Numbers compare by exact value across widths and signs. */
    enum ComparisonOperator {
        EQUAL,
        NOT_EQUAL,
        LESS,
        LESS_OR_EQUAL,
        GREATER,
        GREATER_OR_EQUAL;

        /** The operator that gives the same result with the sides exchanged. */
        public ComparisonOperator mirror() {
            return switch (this) {
                case EQUAL, NOT_EQUAL -> this;
                case LESS -> GREATER;
                case LESS_OR_EQUAL -> GREATER_OR_EQUAL;
                case GREATER -> LESS;
                case GREATER_OR_EQUAL -> LESS_OR_EQUAL;
            };
        }
    }

    record Compare(ComparisonOperator operator, Expression left, Expression right) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.BOOL;
        }
    }

    /** Tests of text; CONTAINS with a list on the left is membership. */
    enum TextOperator {
        CONTAINS,
        STARTS_WITH,
        ENDS_WITH,
        MATCHES
    }

    record TextTest(TextOperator operator, Expression left, Expression right) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.BOOL;
        }
    }

    /** {@code left in list}; {@code not in} is a {@link Not} around it. */
    record In(Expression left, Expression list) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.BOOL;
        }
    }

    /** A list whose items are expressions. */
    record ListOf(List<Expression> items, @Nullable PropertyType type) implements Expression {}

    record IsNull(Expression operand, boolean negated) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.BOOL;
        }
    }

    /** The operators of {@link Arithmetic}. */
    enum ArithmeticOperator {
        ADD,
        SUBTRACT,
        MULTIPLY,
        DIVIDE,
        REMAINDER;

        /** The exact result for two integers; the right one is not zero for a division. */
        public BigInteger exact(BigInteger left, BigInteger right) {
            return switch (this) {
                case ADD -> left.add(right);
                case SUBTRACT -> left.subtract(right);
                case MULTIPLY -> left.multiply(right);
                case DIVIDE -> left.divide(right);
                case REMAINDER -> left.remainder(right);
            };
        }
    }

    /**
     * The position of an expression in the source, for the run-time error R1. Two origins are always equal, so that the
     * position does not count when expressions are compared: {@code order} must recognise a group key.
     *
     * @param source the source that holds it
     * @param start where it begins in the source
     * @param end where it ends
     */
    record Origin(SourceText source, int start, int end) {
        /** The text of the expression on one line, shortened when long. */
        public String text() {
            return source.shown(start, end);
        }

        /** The error R1, with this position in the source. */
        public ServiceException fault(String message) {
            return source.refusal(List.of(source.at(start, "R1", message, null)));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Origin;
        }

        @Override
        public int hashCode() {
            return 0;
        }
    }

    /**
     * Arithmetic on numbers. F64 when one side is a float, I64 when both are integers that fit I64 by their types, and
     * otherwise an integer that fits I64 or U64 ({@link PropertyType#ANY_INTEGER}). A result that does not fit is R1.
     */
    record Arithmetic(ArithmeticOperator operator, Expression left, Expression right, PropertyType type, Origin origin)
            implements Expression {}

    record Negate(Expression operand, PropertyType type, Origin origin) implements Expression {}

    /** The call of a function with arguments that fit its signature. */
    record Call(Function function, List<Expression> arguments, PropertyType type, Origin origin)
            implements Expression {}

    /** The aggregates of the language. */
    enum AggregateFunction {
        COUNT,
        SUM,
        AVG,
        MIN,
        MAX,
        COLLECT;

        /** The names in GQ, in this order. */
        public static List<String> words() {
            return Arrays.stream(values())
                    .map(each -> each.name().toLowerCase(Locale.ROOT))
                    .toList();
        }

        /** The type of this aggregate, which is not COLLECT, over values of a type. */
        public PropertyType over(PropertyType operand) {
            return switch (this) {
                case COUNT -> PropertyType.I64;
                case SUM ->
                    PropertyType.isFloat(operand)
                            ? PropertyType.F64
                            : PropertyType.exceedsI64(operand) ? PropertyType.ANY_INTEGER : PropertyType.I64;
                case AVG -> PropertyType.F64;
                case MIN, MAX -> operand;
                case COLLECT -> throw new IllegalStateException("a list has the type of its items");
            };
        }
    }

    /** An aggregate; it occurs only inside outputs and sort keys. */
    record Aggregate(AggregateFunction function, boolean distinct, Expression operand, PropertyType type, Origin origin)
            implements Expression {}

    /**
     * The value of an output column. It occurs in {@code order}, for an alias or for the column's expression, and in an
     * output that combines an aggregate with a group key of another column. It never refers to an output that itself
     * contains an OutputOf.
     */
    record OutputOf(int index, @Nullable PropertyType type) implements Expression {}
}
