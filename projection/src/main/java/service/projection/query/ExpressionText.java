package service.projection.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ArithmeticOperator;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.plan.Refinement;
import service.core.gq.plan.Variable;
import service.core.value.CalendarText;
import service.core.value.Direction;
import service.core.value.Value;

/** Writes expressions of a plan as text, for EXPLAIN. */
final class ExpressionText {
    /** Stands for every constant of a plan without them. */
    private static final String MASK = "?";

    private final List<Variable> variables;
    private final boolean masked;

    /** @param masked whether {@link #MASK} stands for each constant */
    ExpressionText(List<Variable> variables, boolean masked) {
        this.variables = variables;
        this.masked = masked;
    }

    /** A variable as it is written. */
    String name(int slot) {
        String name = variables.get(slot).name();
        if (variables.get(slot).value() != null && name.startsWith("#")) {
            // The value of a block, which has no name.
            return name.substring(1);
        }
        boolean spelled = name.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '_');
        return "$" + (spelled && !name.isEmpty() ? name : "_");
    }

    /** The text of an expression. */
    String of(Expression expression) {
        return switch (expression) {
            case Expression.Literal e -> masked ? MASK : value(e.value());
            case Expression.Argument e -> "$" + e.name();
            case Expression.PropertyOf e -> name(e.slot()) + "." + e.name();
            case Expression.IdOf e -> name(e.slot()) + ".@id";
            case Expression.TypeOf e -> name(e.slot()) + ".@type";
            case Expression.EndOf e -> name(e.slot()) + (e.end() == Direction.OUT ? ".@src" : ".@dst");
            case Expression.EndTypeOf e -> name(e.slot()) + (e.end() == Direction.OUT ? ".@src_type" : ".@dst_type");
            case Expression.EntityOf e -> name(e.slot());
            case Expression.ValueOf e -> name(e.slot());
            case Expression.Not e -> "not " + of(e.operand());
            case Expression.And e -> "(" + joined(e.operands(), " and ") + ")";
            case Expression.Or e -> "(" + joined(e.operands(), " or ") + ")";
            case Expression.Compare e -> of(e.left()) + " " + symbol(e.operator()) + " " + of(e.right());
            case Expression.TextTest e ->
                of(e.left()) + " " + e.operator().name().toLowerCase(Locale.ROOT) + " " + of(e.right());
            case Expression.In e -> of(e.left()) + " in " + of(e.list());
            case Expression.ListOf e -> "[" + joined(e.items(), ", ") + "]";
            case Expression.IsNull e -> of(e.operand()) + (e.negated() ? " is not null" : " is null");
            case Expression.Arithmetic e ->
                masked
                        ? "(" + of(e.left()) + " " + symbol(e.operator()) + " " + of(e.right()) + ")"
                        : e.origin().text();
            case Expression.Negate e -> "-" + of(e.operand());
            case Expression.Call e -> e.function().word() + "(" + joined(e.arguments(), ", ") + ")";
            case Expression.Search e ->
                e.function().text() + "(" + of(e.subject()) + ", " + joined(e.arguments(), ", ") + ")";
            case Expression.Aggregate e -> name(e.function()) + "(" + aggregated(e) + ")";
            case Expression.OutputOf e -> "#" + (e.index() + 1);
            case Expression.Concat e -> "(" + of(e.left()) + " || " + of(e.right()) + ")";
            case Expression.Element e -> of(e.list()) + "[" + of(e.index()) + "]";
            case Expression.Slice e -> of(e.list()) + "[" + of(e.from()) + ".." + of(e.to()) + "]";
            case Expression.Case e -> choice(e);
            case Expression.RecordOf e -> {
                List<String> fields = new ArrayList<>();
                for (int i = 0; i < e.values().size(); i++) {
                    fields.add(e.type().names().get(i) + ": " + of(e.values().get(i)));
                }
                yield "{" + String.join(", ", fields) + "}";
            }
            case Expression.FieldOf e -> of(e.subject()) + "." + e.name();
            case Expression.PropertyOfValue e -> of(e.subject()) + "." + e.name();
            case Expression.MetaOfValue e ->
                of(e.subject()) + ".@" + e.meta().name().toLowerCase(Locale.ROOT);
            case Expression.Loop e -> loop(e);
            case Expression.Local e -> "$" + (e.depth() + 1);
        };
    }

    private String choice(Expression.Case choice) {
        StringBuilder text = new StringBuilder("case");
        for (int i = 0; i < choice.conditions().size(); i++) {
            text.append(" when ")
                    .append(of(choice.conditions().get(i)))
                    .append(" then ")
                    .append(of(choice.results().get(i)));
        }
        return text + " else " + of(choice.results().getLast()) + " end";
    }

    private String loop(Expression.Loop loop) {
        String each = of(loop.each()) + " in " + of(loop.list()) + " where " + of(loop.where());
        return loop.kind() == Expression.LoopKind.LIST
                ? "[" + each + " | " + of(loop.map()) + "]"
                : loop.kind().name().toLowerCase(Locale.ROOT) + "(" + each + ")";
    }

    /** What stands before the block of a value. */
    String head(Expression.@Nullable Aggregate aggregate) {
        if (aggregate == null) {
            return "exists";
        }
        String operand = aggregated(aggregate);
        return name(aggregate.function()) + (operand.equals("*") ? "" : "(" + operand + ")");
    }

    private String aggregated(Expression.Aggregate aggregate) {
        boolean ofRows = aggregate.function() == Expression.AggregateFunction.COUNT
                && !aggregate.distinct()
                && aggregate.operand() instanceof Expression.Literal counted
                && counted.value() instanceof Value.Bool;
        String operand = ofRows ? "*" : (aggregate.distinct() ? "distinct " : "") + of(aggregate.operand());
        Refinement refinement = aggregate.refinement();
        if (refinement.fraction() != null) {
            operand += ", " + of(refinement.fraction());
        }
        if (refinement.where() != null) {
            operand += " where " + of(refinement.where());
        }
        if (!refinement.order().isEmpty()) {
            operand += refinement.order().stream()
                    .map(key -> of(key.expression()) + (key.descending() ? " desc" : ""))
                    .collect(Collectors.joining(", ", " order ", ""));
        }
        return refinement.limit() == null ? operand : operand + " limit " + of(refinement.limit());
    }

    private String joined(List<Expression> expressions, String between) {
        return expressions.stream().map(e -> of(e)).collect(Collectors.joining(between));
    }

    private static String name(Expression.AggregateFunction function) {
        return function.name().toLowerCase(Locale.ROOT);
    }

    private static String symbol(ComparisonOperator operator) {
        return switch (operator) {
            case EQUAL -> "=";
            case NOT_EQUAL -> "!=";
            case LESS -> "<";
            case LESS_OR_EQUAL -> "<=";
            case GREATER -> ">";
            case GREATER_OR_EQUAL -> ">=";
        };
    }

    private static String symbol(ArithmeticOperator operator) {
        return switch (operator) {
            case ADD -> "+";
            case SUBTRACT -> "-";
            case MULTIPLY -> "*";
            case DIVIDE -> "/";
            case REMAINDER -> "%";
        };
    }

    private static String value(Value value) {
        return switch (value) {
            case Value.Null ignored -> "null";
            case Value.Bool v -> String.valueOf(v.value());
            case Value.Int v -> String.valueOf(v.value());
            case Value.UInt v -> Long.toUnsignedString(v.bits());
            case Value.Real v -> String.valueOf(v.value());
            case Value.Text v -> "\"" + v.value() + "\"";
            case Value.Date v -> "date(\"" + CalendarText.date(v.epochDay()) + "\")";
            case Value.DateTime v -> "datetime(\"" + CalendarText.dateTime(v.epochMillis()) + "\")";
            case Value.ListOf v ->
                v.items().size() > 8
                        ? "[" + v.items().size() + " values]"
                        : v.items().stream().map(ExpressionText::value).collect(Collectors.joining(", ", "[", "]"));
            case Value.Vector v -> "vector(" + v.items().length + ")";
            case Value.ManagedBlob ignored -> "blob";
            case Value.ExternalBlob ignored -> "blob";
            case Value.Computed v -> throw v.unstored();
        };
    }
}
