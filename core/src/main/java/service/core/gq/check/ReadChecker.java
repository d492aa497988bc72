package service.core.gq.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.schema.Catalog;
import service.core.value.PropertyType;
import service.core.value.Value;

/** Checks a read: its match, its columns, its order. */
final class ReadChecker {
    private final Catalog catalog;
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final List<Plan.Output> outputs = new ArrayList<>();
    private final Map<String, Expression.OutputOf> aliases = new LinkedHashMap<>();

    ReadChecker(Catalog catalog, QueryFindings findings, ParameterTable parameters) {
        this.catalog = catalog;
        this.findings = findings;
        this.parameters = parameters;
    }

    Plan.Read check(GqFile.Query query, GqFile.Read read) {
        PatternDeclarer declarer = new PatternDeclarer(catalog, findings, parameters);
        BlockScope declared = declarer.declare(read.match());
        Pattern match = new PatternBuilder(catalog, findings, parameters).build(declared);
        List<Variable> variables = declarer.variables();
        boolean limited = read.limit() != null;
        List<Expression> expressions = projections(read, declared.scope, limited);
        boolean grouped = expressions.stream().anyMatch(Grouping::holdsAggregate);
        List<Expression> orderKeys = orderKeys(read, declared.scope, limited);
        grouped |= orderKeys.stream().anyMatch(Grouping::holdsAggregate);
        if (findings.errors().isEmpty()) {
            settleOutputs(read, expressions, grouped);
        }
        List<Plan.SortKey> order = findings.errors().isEmpty() ? settleOrder(read, orderKeys, grouped) : List.of();
        return new Plan.Read(
                query.name(),
                parameters.list(),
                query.annotations(),
                variables,
                match,
                new Plan.Result(List.copyOf(outputs), read.distinct(), grouped),
                order,
                new Plan.Window(count(read.skip(), "skip"), count(read.limit(), "limit")));
    }

    private List<Expression> projections(GqFile.Read read, Scope scope, boolean limited) {
        List<Expression> expressions = new ArrayList<>();
        Map<String, GqFile.Projection> columns = new LinkedHashMap<>();
        PatternEnvironment environment = environment(scope, Map.of());
        for (GqFile.Projection projection : read.projections()) {
            GqFile.Projection earlier = columns.putIfAbsent(projection.column(), projection);
            if (earlier != null) {
                findings.note(
                        "T25",
                        projection.span(),
                        "two columns are named `" + projection.column() + "`",
                        "name one of them: `" + findings.text(projection.span()) + " as other`");
            }
            findings.attempt(() -> {
                Expression expression = new ExpressionChecker(findings, parameters, environment, null, limited)
                        .check(projection.expression());
                String alias = projection.alias();
                if (alias != null) {
                    aliases.put(alias, new Expression.OutputOf(expressions.size(), expression.type()));
                }
                expressions.add(expression);
            });
        }
        return expressions;
    }

    private List<Expression> orderKeys(GqFile.Read read, Scope scope, boolean limited) {
        List<Expression> keys = new ArrayList<>();
        PatternEnvironment environment = environment(scope, aliases);
        for (GqFile.OrderKey key : read.order()) {
            findings.attempt(() -> {
                Expression expression =
                        new ExpressionChecker(findings, parameters, environment, null, limited).check(key.expression());
                Family family = expression.family();
                if (!family.ordered() && family != Family.BOOL) {
                    throw findings.refuse(
                            "T4",
                            key.expression().span(),
                            "cannot order by " + expression.typeName(),
                            family == Family.ENTITY ? "order by its `@id` or a property" : null);
                }
                keys.add(expression);
            });
        }
        return keys;
    }

    private PatternEnvironment environment(Scope scope, Map<String, Expression.OutputOf> names) {
        return new PatternEnvironment(catalog, findings, parameters, scope, names);
    }

    private void settleOutputs(GqFile.Read read, List<Expression> expressions, boolean grouped) {
        Map<Expression, Integer> keys = new LinkedHashMap<>();
        for (int i = 0; grouped && i < expressions.size(); i++) {
            findings.work().step();
            if (!Grouping.holdsAggregate(expressions.get(i))) {
                keys.putIfAbsent(expressions.get(i), i);
            }
        }
        for (int i = 0; i < expressions.size(); i++) {
            Expression expression = expressions.get(i);
            if (grouped && Grouping.holdsAggregate(expression)) {
                expression = mixed(expression, keys, read.projections().get(i));
            }
            outputs.add(new Plan.Output(read.projections().get(i).column(), expression));
        }
    }

    /** Checks an output with an aggregate: everything else in it must be a group key and is read from that column. */
    private Expression mixed(Expression expression, Map<Expression, Integer> keys, GqFile.Projection projection) {
        findings.work().step();
        Expression settled = Grouping.settle(expression, keys);
        if (Grouping.readsRow(settled)) {
            findings.note(
                    "T9",
                    projection.span(),
                    "`"
                            + findings.text(projection.span())
                            + "` mixes an aggregate with a value that differs within the group",
                    "return that value as a separate column too, which makes it part of the group key");
        }
        return settled;
    }

    private List<Plan.SortKey> settleOrder(GqFile.Read read, List<Expression> orderKeys, boolean grouped) {
        Map<Expression, Integer> columns = new LinkedHashMap<>();
        for (int i = 0; i < outputs.size(); i++) {
            columns.putIfAbsent(outputs.get(i).expression(), i);
        }
        List<Plan.SortKey> order = new ArrayList<>();
        for (int i = 0; i < orderKeys.size(); i++) {
            Expression written = orderKeys.get(i);
            Integer column = columns.get(written);
            Expression key = column != null ? new Expression.OutputOf(column, written.type()) : written;
            if (grouped || read.distinct()) {
                key = Grouping.settle(key, columns);
                boolean foreign = Grouping.readsRow(key) || (read.distinct() && Grouping.holdsAggregate(key));
                if (foreign) {
                    findings.note(
                            "T6",
                            read.order().get(i).expression().span(),
                            "`"
                                    + findings.text(
                                            read.order().get(i).expression().span())
                                    + "` is not part of the "
                                    + (read.distinct() ? "distinct" : "grouped")
                                    + " result",
                            "return it as well, or order by a column" + (read.distinct() ? "" : " or an aggregate"));
                }
            }
            order.add(new Plan.SortKey(key, read.order().get(i).descending()));
        }
        return List.copyOf(order);
    }

    private @Nullable Expression count(@Nullable ExpressionSyntax syntax, String what) {
        if (syntax == null) {
            return null;
        }
        return switch (syntax) {
            case ExpressionSyntax.Literal literal
            when literal.value() instanceof Value.Int -> {
                yield new Expression.Literal(literal.value(), PropertyType.I64);
            }
            case ExpressionSyntax.Dollar dollar -> {
                Expression.Argument argument = parameters.use(dollar.name());
                if (argument == null) {
                    findings.note(
                            "T6",
                            dollar.span(),
                            "`$" + dollar.name() + "` after `" + what + "` is not a parameter",
                            "declare it: `$" + dollar.name() + ": I64`");
                    yield null;
                }
                if (argument.family() == Family.NUMBER && Family.isInteger(argument.type())) {
                    yield argument;
                }
                findings.note(
                        "T4",
                        dollar.span(),
                        "`" + what + "` takes an integer, but `$" + dollar.name() + "` is " + argument.type(),
                        null);
                yield null;
            }
            default -> {
                findings.note(
                        "T4",
                        syntax.span(),
                        "`" + what + "` takes an integer from 0 to 9223372036854775807 or an integer parameter",
                        null);
                yield null;
            }
        };
    }
}
