package service.core.gq.syntax;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.Expression.ArithmeticOperator;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.plan.Expression.LoopKind;
import service.core.gq.plan.Expression.TextOperator;
import service.core.gq.plan.SearchFunction;
import service.core.text.Span;
import service.core.value.Value;

/** An expression as written. Names are not yet resolved: {@code $x} may be a variable or a parameter. */
public sealed interface ExpressionSyntax {
    Span span();

    record Literal(Value value, Span span) implements ExpressionSyntax {}

    /** {@code [a, b]}. */
    record ListOf(List<ExpressionSyntax> items, Span span) implements ExpressionSyntax {}

    /** {@code $name}: a variable or a parameter. */
    record Dollar(String name, Span span) implements ExpressionSyntax {}

    /** {@code $v.name}. */
    record Property(Dollar subject, String name, Span nameSpan, Span span) implements ExpressionSyntax {}

    /** The fields that {@code @id} and the other words with {@code @} read. */
    enum MetaField {
        ID,
        TYPE,
        SRC,
        DST,
        SRC_TYPE,
        DST_TYPE;

        /** Whether it is of an end, which only edges have. */
        public boolean isOfEnd() {
            return this != ID && this != TYPE;
        }

        /** The word as written. */
        public String text() {
            return "@" + name().toLowerCase(Locale.ROOT);
        }
    }

    /** {@code $v.@id}. */
    record Meta(Dollar subject, MetaField field, Span span) implements ExpressionSyntax {}

    /** {@code @id} in the predicate of a mutation. */
    record OwnMeta(MetaField field, Span span) implements ExpressionSyntax {}

    /** A bare name: a property in a mutation, an alias in {@code order}. */
    record Word(String name, Span span) implements ExpressionSyntax {}

    record Call(Function function, List<ExpressionSyntax> arguments, Span span) implements ExpressionSyntax {}

    record Search(SearchFunction function, List<ExpressionSyntax> arguments, Span span) implements ExpressionSyntax {}

    record Aggregate(
            AggregateFunction function, boolean distinct, ExpressionSyntax operand, Refinement refinement, Span span)
            implements ExpressionSyntax {}

    /**
     * What an aggregate says after its operand.
     *
     * @param fraction the place of a percentile
     */
    record Refinement(
            @Nullable ExpressionSyntax fraction,
            @Nullable ExpressionSyntax where,
            List<GqFile.OrderKey> order,
            @Nullable ExpressionSyntax limit) {
        static final Refinement NONE = new Refinement(null, null, List.of(), null);

        /** Whether it says nothing. */
        public boolean isNone() {
            return fraction == null && where == null && order.isEmpty() && limit == null;
        }
    }

    /**
     * A block as a value: {@code count { … }}, {@code exists { … }}, {@code sum($x.size) { … }}.
     *
     * @param exists whether it asks for a match only
     * @param aggregate null for {@code exists} and a bare {@code count}
     */
    record BlockValue(boolean exists, @Nullable Aggregate aggregate, ClauseSyntax.Block block, Span span)
            implements ExpressionSyntax {
        /** Whether an expression is a bare {@code exists { … }}. */
        static boolean isExists(ExpressionSyntax expression) {
            return expression instanceof BlockValue value && value.exists;
        }
    }

    record And(List<ExpressionSyntax> operands, Span span) implements ExpressionSyntax {}

    record Or(List<ExpressionSyntax> operands, Span span) implements ExpressionSyntax {}

    record Not(ExpressionSyntax operand, Span span) implements ExpressionSyntax {}

    record Compare(ComparisonOperator operator, ExpressionSyntax left, ExpressionSyntax right, Span span)
            implements ExpressionSyntax {}

    record TextTest(TextOperator operator, ExpressionSyntax left, ExpressionSyntax right, Span span)
            implements ExpressionSyntax {}

    record In(ExpressionSyntax left, boolean negated, ExpressionSyntax list, Span span) implements ExpressionSyntax {}

    record IsNull(ExpressionSyntax operand, boolean negated, Span span) implements ExpressionSyntax {}

    record Arithmetic(ArithmeticOperator operator, ExpressionSyntax left, ExpressionSyntax right, Span span)
            implements ExpressionSyntax {}

    record Negate(ExpressionSyntax operand, Span span) implements ExpressionSyntax {}

    /** {@code a || b}. */
    record Concat(ExpressionSyntax left, ExpressionSyntax right, Span span) implements ExpressionSyntax {}

    /** {@code l[i]}. */
    record Element(ExpressionSyntax list, ExpressionSyntax index, Span span) implements ExpressionSyntax {}

    /** {@code l[a..b]}; either bound may be missing. */
    record Slice(
            ExpressionSyntax list,
            @Nullable ExpressionSyntax from,
            @Nullable ExpressionSyntax to,
            Span span) implements ExpressionSyntax {}

    /** {@code e.name} of what is no variable. */
    record FieldOf(ExpressionSyntax subject, String name, Span nameSpan, Span span) implements ExpressionSyntax {}

    /** {@code e.@id} of what is no variable. */
    record MetaOf(ExpressionSyntax subject, MetaField field, Span span) implements ExpressionSyntax {}

    /** {@code when condition then result}. */
    record When(ExpressionSyntax condition, ExpressionSyntax result) {}

    record Case(List<When> whens, @Nullable ExpressionSyntax otherwise, Span span) implements ExpressionSyntax {}

    /** {@code name: value} in a record. */
    record RecordField(String name, Span nameSpan, ExpressionSyntax value) {}

    record Struct(List<RecordField> fields, Span span) implements ExpressionSyntax {}

    /** {@code [$x in l where e | e2]}, or {@code any($x in l where e)}, {@code all}, {@code none}. */
    record Loop(
            LoopKind kind,
            Dollar each,
            ExpressionSyntax list,
            @Nullable ExpressionSyntax where,
            @Nullable ExpressionSyntax map,
            Span span)
            implements ExpressionSyntax {}
}
