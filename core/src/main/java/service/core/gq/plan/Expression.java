package service.core.gq.plan;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.value.Direction;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * A bound, type-checked expression. {@link #type()} is null only for the literal null and for a bare entity.
 * Three-valued logic: null is unknown.
 */
public sealed interface Expression {
    @Nullable
    PropertyType type();

    /** The expressions directly under this one, in the order of the source. */
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

    /** The argument at that place of the declared parameters. */
    record Argument(int index, String name, PropertyType type) implements Expression {}

    /**
     * A property of the entity in a slot; the identity differs by type where the variable has several. Null where the
     * slot is, and for an entity of a type that the map does not name.
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

        /** The operator that gives the same answer when the two sides change places. */
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

    /** A list written with expressions as items. */
    record ListOf(List<Expression> items, @Nullable PropertyType type) implements Expression {}

    record IsNull(Expression operand, boolean negated) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.BOOL;
        }
    }

    /** Arithmetic; the type is I64 (overflow is an error), U64, or F64. */
    enum ArithmeticOperator {
        ADD,
        SUBTRACT,
        MULTIPLY,
        DIVIDE,
        REMAINDER
    }

    /**
     * Where an expression stands in the source, for the run-time error R1. Any two are equal: where an expression
     * stands is no part of what it means, and a group key must be known again in {@code order}.
     *
     * @param text the expression's own text on one line, cut when long
     * @param source what it stands in
     * @param offset where it begins there
     */
    record Origin(String text, SourceText source, int offset) {
        /** The refusal R1, which shows the place in the source. */
        public ServiceException fault(String message) {
            return source.refusal(List.of(source.at(offset, "R1", message, null)));
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
     * Arithmetic on numbers. I64 when both sides are integers and neither is U64; U64 when one is; F64 when one is a
     * float.
     */
    record Arithmetic(ArithmeticOperator operator, Expression left, Expression right, PropertyType type, Origin origin)
            implements Expression {}

    record Negate(Expression operand, PropertyType type, Origin origin) implements Expression {}

    /** The functions of the language. */
    enum Function {
        NOW,
        LOWER,
        UPPER,
        LENGTH,
        COALESCE,
        ABS,
        ROUND,
        DATE,
        DATETIME,
        YEAR,
        MONTH,
        DAY
    }

    /**
     * A call. LENGTH counts the code points of a text or the items of a list; ROUND rounds half away from zero and
     * keeps the type, as ABS does; YEAR, MONTH, DAY read a Date, or a DateTime in UTC, as I64; DATE takes the day of a
     * DateTime in UTC or reads a text, DATETIME takes the midnight of a Date or reads a text. Null arguments give null,
     * but COALESCE gives the first that is not null.
     */
    record Call(Function function, List<Expression> arguments, PropertyType type, Origin origin)
            implements Expression {}

    /** The aggregates of the language. */
    enum AggregateFunction {
        COUNT,
        SUM,
        AVG,
        MIN,
        MAX,
        COLLECT
    }

    /** Only inside outputs and sort keys. */
    record Aggregate(AggregateFunction function, boolean distinct, Expression operand, PropertyType type, Origin origin)
            implements Expression {}

    /**
     * The value of an output column: in {@code order}, where an alias or the column's own expression names it; and, in
     * an output that mixes an aggregate with other things, the group key that stands in another column. It never refers
     * to an output that holds an OutputOf itself.
     */
    record OutputOf(int index, @Nullable PropertyType type) implements Expression {}
}
