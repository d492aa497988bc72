package service.core.gq.plan;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.gq.function.Family;
import service.core.gq.function.Function;
import service.core.value.Direction;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/**
 * A bound, type-checked expression. {@link #type()} is null only for what is always null, and for an empty list. Logic
 * is three-valued; null means unknown.
 */
public sealed interface Expression {
    @Nullable
    ValueType type();

    /** The family of the type; that of the literal null is NULL. */
    default Family family() {
        ValueType type = type();
        if (type != null) {
            return Family.of(type);
        }
        boolean list =
                this instanceof ListOf || (this instanceof Literal literal && literal.value() instanceof Value.ListOf);
        return list ? Family.LIST : Family.NULL;
    }

    /** The family of a list's items, or null when the list does not determine it. */
    default @Nullable Family itemFamily() {
        ValueType item = ValueType.itemOf(type());
        return item == null ? null : Family.of(item);
    }

    /** The type as messages show it. */
    default String typeName() {
        return switch (type()) {
            case ValueType.Entity entity -> "an entity";
            case ValueType.Path path -> "a path";
            case null -> family() == Family.LIST ? "an empty list" : "null";
            case ValueType type -> type.toString();
        };
    }

    /** The direct operands of this expression, in the order of the source. */
    default List<Expression> operands() {
        return Operands.of(this);
    }

    record Literal(Value value, @Nullable ValueType type) implements Expression {}

    /** The argument of the declared parameter with that index. */
    record Argument(int index, String name, ValueType type) implements Expression {}

    /** What reads the slot of a variable. It has no operands. */
    sealed interface SlotRead extends Expression {
        int slot();
    }

    /**
     * A property of the entity in a slot; the identity depends on the type of the entity where the variable has several
     * types. Null when the slot is null and for an entity of a type that the map does not hold.
     */
    record PropertyOf(int slot, String name, Map<Integer, Integer> identityByType, PropertyType type)
            implements SlotRead {}

    /** {@code $v.@id}. */
    record IdOf(int slot) implements SlotRead {
        @Override
        public PropertyType type() {
            return PropertyType.STRING;
        }
    }

    /** {@code $v.@type}. */
    record TypeOf(int slot) implements SlotRead {
        @Override
        public PropertyType type() {
            return PropertyType.STRING;
        }
    }

    /** {@code $w.@src} (OUT) and {@code $w.@dst} (IN): the id of an edge's end. */
    record EndOf(int slot, Direction end) implements SlotRead {
        @Override
        public PropertyType type() {
            return PropertyType.STRING;
        }
    }

    /**
     * {@code $w.@src_type} (OUT) and {@code $w.@dst_type} (IN): the type of an edge's end.
     *
     * @param names in a mutation the names of node types, by how an image names them; else empty
     */
    record EndTypeOf(int slot, Direction end, Map<Integer, String> names) implements SlotRead {
        @Override
        public PropertyType type() {
            return PropertyType.STRING;
        }
    }

    /** A bare node or edge variable: an object in a result, an identity in {@code count} and {@code distinct}. */
    record EntityOf(int slot, ValueType.Entity type) implements SlotRead {
        /** A block may know more about the type of an entity; the entity is the same. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof EntityOf entity && slot == entity.slot;
        }

        @Override
        public int hashCode() {
            return slot;
        }
    }

    /** A variable that is bound to a value. */
    record ValueOf(int slot, ValueType type) implements SlotRead {}

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
    record ListOf(List<Expression> items, @Nullable ValueType type) implements Expression {}

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
            return fault("R1", message, null);
        }

        /** The error of that code, with this position in the source. */
        public ServiceException fault(String code, String message) {
            return fault(code, message, null);
        }

        /** The same with a hint. */
        public ServiceException fault(String code, String message, @Nullable String hint) {
            return source.refusal(List.of(finding(code, message, hint)));
        }

        /** A finding at this position. */
        public Diagnostic finding(String code, String message, @Nullable String hint) {
            return source.at(start, code, message, hint);
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
    record Call(Function function, List<Expression> arguments, ValueType type, Origin origin) implements Expression {}

    /**
     * A function of search over a property, except for {@code rrf}, which is a {@link Plan.Fusion}. A filter is Bool, a
     * ranking F64; null where the property, the text or the vector is null.
     *
     * @param subject the property, or a column that holds it
     * @param arguments the text or the vector that is searched for; then the mode or the edits, where they are written
     */
    record Search(SearchFunction function, Expression subject, List<Expression> arguments, SearchedBy by, Origin origin)
            implements Expression {
        @Override
        public PropertyType type() {
            return function.isRanking() ? PropertyType.F64 : PropertyType.BOOL;
        }
    }

    /** The aggregates of the language. */
    enum AggregateFunction {
        COUNT,
        SUM,
        AVG,
        MIN,
        MAX,
        COLLECT,
        STDEV,
        MEDIAN,
        PERCENTILE;

        /** The names in GQ, in this order. */
        public static List<String> words() {
            return Arrays.stream(values())
                    .map(each -> each.name().toLowerCase(Locale.ROOT))
                    .toList();
        }

        /** The type of this aggregate over values of a type. */
        public ValueType over(ValueType operand) {
            return switch (this) {
                case COUNT -> PropertyType.I64;
                case SUM ->
                    PropertyType.isFloat(operand)
                            ? PropertyType.F64
                            : PropertyType.exceedsI64(operand) ? PropertyType.ANY_INTEGER : PropertyType.I64;
                case AVG, STDEV, MEDIAN, PERCENTILE -> PropertyType.F64;
                case MIN, MAX -> operand;
                case COLLECT -> ValueType.listOf(operand);
            };
        }
    }

    /** An aggregate; it occurs only inside outputs, conditions and sort keys, and before a block. */
    record Aggregate(
            AggregateFunction function,
            boolean distinct,
            Expression operand,
            Refinement refinement,
            ValueType type,
            Origin origin)
            implements Expression {
        /** The same over rows that are grouped by these keys. */
        public Aggregate within(List<Expression> keys) {
            return new Aggregate(function, distinct, operand, refinement.within(keys), type, origin);
        }
    }

    /**
     * The value of an output column. It occurs in {@code order}, for an alias or for the column's expression, and in an
     * output that combines an aggregate with a group key of another column. It never refers to an output that itself
     * contains an OutputOf.
     */
    record OutputOf(int index, @Nullable ValueType type) implements Expression {}

    /** Two texts joined, or two lists. */
    record Concat(Expression left, Expression right, ValueType type) implements Expression {}

    /** An item of a list; negative indexes count from the end. Null outside. */
    record Element(Expression list, Expression index, ValueType type) implements Expression {}

    /** The items of a list from {@code from} up to, not including, {@code to}; both are clamped. */
    record Slice(Expression list, Expression from, Expression to, ValueType type) implements Expression {}

    /**
     * The result of the first condition that is true.
     *
     * @param results one for each condition, then that for no true condition
     */
    record Case(List<Expression> conditions, List<Expression> results, ValueType type) implements Expression {}

    /** A record; the names are those of its type. */
    record RecordOf(List<Expression> values, ValueType.Struct type) implements Expression {}

    /**
     * A field of a record.
     *
     * @param type null when the field is always null
     */
    record FieldOf(
            Expression subject, String name, @Nullable ValueType type) implements Expression {}

    /** As {@link PropertyOf}, of an entity that is in no slot. */
    record PropertyOfValue(Expression subject, String name, Map<Integer, Integer> identityByType, PropertyType type)
            implements Expression {}

    /** What {@link MetaOfValue} reads. */
    enum Meta {
        ID,
        TYPE,
        SRC,
        DST,
        SRC_TYPE,
        DST_TYPE
    }

    /** {@code @id} and the like of an entity that is in no slot. */
    record MetaOfValue(Expression subject, Meta meta) implements Expression {
        @Override
        public PropertyType type() {
            return PropertyType.STRING;
        }
    }

    /** The loops over the items of a list. Unknown is as in {@code or} for ANY, as in {@code and} for ALL. */
    enum LoopKind {
        ANY,
        ALL,
        NONE,
        LIST
    }

    /**
     * A loop over the items of a list.
     *
     * @param depth the number of loops around it, which numbers its variable
     * @param where the condition, or the constant true
     * @param map the value of an item in the list made; the item itself without one. Not used by the other kinds
     */
    record Loop(LoopKind kind, int depth, Expression list, Expression where, Expression map, ValueType type)
            implements Expression {
        /** The variable. */
        public Local each() {
            return new Local(depth, Objects.requireNonNull(ValueType.itemOf(list.type())));
        }
    }

    /** The item that the loop of a depth is at. */
    record Local(int depth, ValueType type) implements Expression {}
}
