package service.core.gq.plan;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.value.Direction;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * A bound, type-checked expression. {@link #type()} is null only for the literal null and for a
 * bare entity. Three-valued logic: null is unknown.
 */
public sealed interface Expression {
    @Nullable PropertyType type();

    record Literal(Value value, @Nullable PropertyType type) implements Expression {}

    /** The argument at that place of the declared parameters. */
    record Argument(int index, String name, PropertyType type) implements Expression {}

    /**
     * A property of the entity in a slot; the identity differs by type where the variable has
     * several.
     */
    record PropertyOf(
            int slot, String name, Map<Integer, Integer> identityByType, PropertyType type)
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

    /**
     * A bare node or edge variable: an object in a result, an identity in {@code count} and {@code
     * distinct}.
     */
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
        GREATER_OR_EQUAL
    }

    record Compare(ComparisonOperator operator, Expression left, Expression right)
            implements Expression {
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

    record TextTest(TextOperator operator, Expression left, Expression right)
            implements Expression {
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
     * Arithmetic on numbers.
     *
     * @param source the source text, for the run-time error R1
     */
    record Arithmetic(
            ArithmeticOperator operator,
            Expression left,
            Expression right,
            PropertyType type,
            String source)
            implements Expression {}

    record Negate(Expression operand, PropertyType type) implements Expression {}

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

    record Call(Function function, List<Expression> arguments, PropertyType type)
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
    record Aggregate(
            AggregateFunction function, boolean distinct, Expression operand, PropertyType type)
            implements Expression {}

    /** The value of an output column, named by its alias in {@code order}. */
    record OutputOf(int index, @Nullable PropertyType type) implements Expression {}
}
