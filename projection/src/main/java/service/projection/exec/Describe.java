package service.projection.exec;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.plan.Variable;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.CalendarText;
import service.core.value.Direction;
import service.core.value.Value;

/** Physical plans in words, for EXPLAIN. */
final class Describe {
    private final Catalog catalog;
    private final List<Variable> variables;

    Describe(Catalog catalog, List<Variable> variables) {
        this.catalog = catalog;
        this.variables = variables;
    }

    /** The operator's name as {@code language.md} lists them; null for what is not shown. */
    static @Nullable String operator(Node node) {
        return switch (node) {
            case Node.OuterRows ignored -> null;
            case Node.Scan ignored -> "NodeScan";
            case Node.IdLookup ignored -> "IdLookup";
            case Node.Index n -> n.exact() ? "IndexSeek" : "IndexRange";
            case Node.EdgesAt ignored -> "ExpandEdge";
            case Node.Expand n -> n.edge() >= 0 ? "ExpandEdge" : "Expand";
            case Node.Hops ignored -> "Expand";
            case Node.Filter ignored -> "Filter";
            case Node.SemiJoin n -> n.negated() ? "AntiJoin" : "SemiJoin";
            case Node.Measure ignored -> "SemiJoin";
            case Node.Optional ignored -> "Optional";
            case Node.CrossJoin ignored -> "CrossJoin";
            case Node.HashJoin ignored -> "HashJoin";
            case Node.Aggregate ignored -> "Aggregate";
            case Node.Counts ignored -> "Aggregate";
            case Node.Union n -> operator(n.sources().getFirst());
            case Node.Ends ignored -> "ExpandEdge";
            case Node.Project ignored -> "Project";
            case Node.Distinct ignored -> "Distinct";
            case Node.Sort n -> n.keep() < 0 ? "Sort" : "TopN";
            case Node.Limit ignored -> "Limit";
        };
    }

    String detail(Node node) {
        return switch (node) {
            case Node.OuterRows ignored -> "";
            case Node.Scan n -> variable(n.slot()) + ": " + types(n.types());
            case Node.IdLookup n ->
                    variable(n.slot()) + ": " + types(n.types()) + " " + String.join(", ", n.ids());
            case Node.Index n ->
                    variable(n.slot()) + ": " + types(List.of(n.type())) + " " + n.detail();
            case Node.EdgesAt n ->
                    variable(n.slot())
                            + (n.direction() == Direction.OUT ? " @src " : " @dst ")
                            + String.join(", ", n.nodeIds());
            case Node.Expand n ->
                    hop(n.near(), n.steps(), n.far(), "") + (n.closing() ? " (both bound)" : "");
            case Node.Hops n ->
                    hop(n.near(), n.steps(), n.far(), "{" + n.minHops() + "," + n.maxHops() + "}")
                            + (n.closing() ? " (both bound)" : "");
            case Node.Union n ->
                    n.sources().stream().map(this::detail).collect(Collectors.joining("; "));
            case Node.Ends n ->
                    variable(n.edge())
                            + ": "
                            + variable(n.from())
                            + (n.undirected() ? " - " : " -> ")
                            + variable(n.to());
            case Node.Filter n ->
                    expressions(n.conjuncts(), " and ") + (n.tentative() ? " (tried)" : "");
            case Node.SemiJoin ignored -> "";
            case Node.Measure n ->
                    name(n.function())
                            + (n.operand() == null
                                    ? ""
                                    : "(" + expression(n.operand(), variables) + ")")
                            + " "
                            + symbol(n.operator())
                            + " "
                            + expression(n.bound(), variables);
            case Node.Optional ignored -> "";
            case Node.CrossJoin ignored -> "";
            case Node.HashJoin n ->
                    expressions(n.probeKeys(), ", ") + " = " + expressions(n.buildKeys(), ", ");
            case Node.Aggregate n ->
                    n.aggregates().stream()
                                    .map(a -> expression(a, variables))
                                    .collect(Collectors.joining(", "))
                            + (n.keys().isEmpty() ? "" : " by " + expressions(n.keys(), ", "));
            case Node.Counts n -> "count of " + types(n.types()) + " (known)";
            case Node.Project n -> expressions(n.expressions(), ", ");
            case Node.Distinct ignored -> "";
            case Node.Sort n -> n.detail() + (n.keep() < 0 ? "" : " first " + n.keep());
            case Node.Limit n ->
                    (n.limit() < 0 ? "" : "limit " + n.limit())
                            + (n.skip() == 0
                                    ? ""
                                    : (n.limit() < 0 ? "" : " ") + "skip " + n.skip());
        };
    }

    private String hop(int near, List<Node.Step> steps, int far, String range) {
        boolean out = steps.stream().anyMatch(s -> s.direction() == Direction.OUT);
        boolean in = steps.stream().anyMatch(s -> s.direction() == Direction.IN);
        String names =
                steps.stream()
                        .map(Node.Step::edgeType)
                        .distinct()
                        .map(type -> types(List.of(type)))
                        .collect(Collectors.joining("|"));
        return variable(near)
                + (in ? " <-" : " -")
                + names
                + range
                + (out ? "-> " : "- ")
                + variable(far);
    }

    private String variable(int slot) {
        return name(slot, variables);
    }

    private static String name(int slot, List<Variable> variables) {
        String name = variables.get(slot).name();
        boolean spelled = name.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '_');
        return "$" + (spelled && !name.isEmpty() ? name : "_");
    }

    private String types(List<Integer> types) {
        return types.stream()
                .map(catalog::requireType)
                .map(EntityType::name)
                .collect(Collectors.joining("|"));
    }

    private String expressions(List<Expression> expressions, String between) {
        return expressions.stream()
                .map(e -> expression(e, variables))
                .collect(Collectors.joining(between));
    }

    static String expression(Expression expression, List<Variable> variables) {
        return switch (expression) {
            case Expression.Literal e -> value(e.value());
            case Expression.Argument e -> "$" + e.name();
            case Expression.PropertyOf e -> name(e.slot(), variables) + "." + e.name();
            case Expression.IdOf e -> name(e.slot(), variables) + ".@id";
            case Expression.TypeOf e -> name(e.slot(), variables) + ".@type";
            case Expression.EndOf e ->
                    name(e.slot(), variables) + (e.end() == Direction.OUT ? ".@src" : ".@dst");
            case Expression.EntityOf e -> name(e.slot(), variables);
            case Expression.Not e -> "not " + expression(e.operand(), variables);
            case Expression.And e -> "(" + joined(e.operands(), " and ", variables) + ")";
            case Expression.Or e -> "(" + joined(e.operands(), " or ", variables) + ")";
            case Expression.Compare e ->
                    expression(e.left(), variables)
                            + " "
                            + symbol(e.operator())
                            + " "
                            + expression(e.right(), variables);
            case Expression.TextTest e ->
                    expression(e.left(), variables)
                            + " "
                            + e.operator().name().toLowerCase(java.util.Locale.ROOT)
                            + " "
                            + expression(e.right(), variables);
            case Expression.In e ->
                    expression(e.left(), variables) + " in " + expression(e.list(), variables);
            case Expression.ListOf e -> "[" + joined(e.items(), ", ", variables) + "]";
            case Expression.IsNull e ->
                    expression(e.operand(), variables)
                            + (e.negated() ? " is not null" : " is null");
            case Expression.Arithmetic e -> e.origin().text();
            case Expression.Negate e -> "-" + expression(e.operand(), variables);
            case Expression.Call e ->
                    e.function().name().toLowerCase(java.util.Locale.ROOT)
                            + "("
                            + joined(e.arguments(), ", ", variables)
                            + ")";
            case Expression.Aggregate e ->
                    name(e.function())
                            + "("
                            + (e.distinct() ? "distinct " : "")
                            + expression(e.operand(), variables)
                            + ")";
            case Expression.OutputOf e -> "#" + (e.index() + 1);
        };
    }

    private static String joined(
            List<Expression> expressions, String between, List<Variable> variables) {
        return expressions.stream()
                .map(e -> expression(e, variables))
                .collect(Collectors.joining(between));
    }

    private static String name(Expression.AggregateFunction function) {
        return function.name().toLowerCase(java.util.Locale.ROOT);
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
                            : v.items().stream()
                                    .map(Describe::value)
                                    .collect(Collectors.joining(", ", "[", "]"));
            case Value.Vector v -> "vector(" + v.items().length + ")";
            case Value.ManagedBlob ignored -> "blob";
            case Value.ExternalBlob ignored -> "blob";
        };
    }
}
