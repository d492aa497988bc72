package service.core.gq.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.syntax.ClauseSyntax;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.schema.Catalog;
import service.core.text.Span;
import service.core.value.ValueType;

/** Checks one stage of a read: its match, the list of {@code with} or {@code return}, and what follows the list. */
final class StageChecker {
    private final Catalog catalog;
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final GqFile.Stage syntax;
    private final Plan.Window window;
    private final Map<String, Expression.OutputOf> aliases = new LinkedHashMap<>();

    /** @param window the skip and the limit of the stage */
    StageChecker(
            Catalog catalog,
            QueryFindings findings,
            ParameterTable parameters,
            GqFile.Stage syntax,
            Plan.Window window) {
        this.catalog = catalog;
        this.findings = findings;
        this.parameters = parameters;
        this.syntax = syntax;
        this.window = window;
    }

    /** An expression with its place in the source. */
    private record Placed(Expression expression, Span span) {}

    /** The last stage. */
    Plan.Stage returned(PatternDeclarer declarer, Scope scope) {
        PatternBuilder builder = builder(declarer);
        BlockValues values = builder.values(scope);
        Pattern written = match(builder, declarer, scope, values);
        List<Placed> columns = columns(environment(scope, Map.of(), values), true);
        PatternEnvironment ofRows = environment(scope, aliases, values);
        List<Placed> where = where(ofRows, null);
        List<Placed> keys = orderKeys(ofRows, null);
        List<Placed> per = per(ofRows, null);
        Pattern match = values.with(written);
        boolean grouped = false;
        for (List<Placed> list : List.of(columns, where, keys, per)) {
            grouped |= list.stream().anyMatch(each -> Grouping.holdsAggregate(each.expression));
        }
        if (!findings.errors().isEmpty()) {
            return stage(match, List.of(), grouped, List.of(), List.of(), List.of());
        }
        List<Plan.Output> outputs = new ArrayList<>();
        List<Expression> settled = settleOutputs(columns, grouped);
        for (int i = 0; i < settled.size(); i++) {
            outputs.add(new Plan.Output(syntax.projections().get(i).column(), settled.get(i)));
        }
        Map<Expression, Integer> known = new LinkedHashMap<>();
        for (int i = 0; i < outputs.size(); i++) {
            known.putIfAbsent(outputs.get(i).expression(), i);
        }
        boolean ofGroups = grouped;
        return stage(
                match,
                outputs,
                grouped,
                where.stream().map(each -> ofResult(each, known, ofGroups)).toList(),
                keys.stream().map(each -> ofResult(each, known, ofGroups)).toList(),
                per.stream().map(each -> ofResult(each, known, ofGroups)).toList());
    }

    /**
     * A stage that ends with {@code with}: one stage of the plan, or a second one for what follows the list where that
     * holds blocks over what the list leaves.
     *
     * @param next receives the variables that it leaves
     */
    List<Plan.Stage> bound(PatternDeclarer declarer, Scope scope, Scope next) {
        PatternBuilder builder = builder(declarer);
        BlockValues values = builder.values(scope);
        Pattern written = match(builder, declarer, scope, values);
        List<Placed> list = columns(environment(scope, Map.of(), values), false);
        Pattern match = values.with(written);
        boolean grouped = list.stream().anyMatch(each -> Grouping.holdsAggregate(each.expression));
        leave(list, new Leaving(scope, next, declarer));
        BlockValues ofLeft = builder.values(next);
        PatternEnvironment left = environment(next, Map.of(), ofLeft);
        List<Placed> where = where(left, "`where` after `with`");
        List<Placed> keys = orderKeys(left, "`order` after `with`");
        List<Placed> per = per(left, "`per` after `with`");
        if (!findings.errors().isEmpty()) {
            return List.of(stage(match, List.of(), grouped, List.of(), List.of(), List.of()));
        }
        List<Expression> settled = settleOutputs(list, grouped);
        List<Plan.Output> outputs = new ArrayList<>();
        for (int i = 0; i < settled.size(); i++) {
            String name = syntax.projections().get(i).column();
            Scope.Variable variable = next.visible().get(name);
            outputs.add(new Plan.Output(name, settled.get(i), variable == null ? -1 : variable.slot.number));
        }
        if (ofLeft.blocks().isEmpty()) {
            return List.of(stage(match, outputs, grouped, plain(where), plain(keys), plain(per)));
        }
        Plan.Result result = new Plan.Result(List.copyOf(outputs), syntax.distinct(), grouped);
        return List.of(
                new Plan.Stage(match, result, List.of(), List.of(), Plan.Window.OPEN),
                passedOn(outputs, ofLeft, where, keys, per));
    }

    /** A stage that leaves what the one before leaves, with the values of blocks, and all that follows the list. */
    private Plan.Stage passedOn(
            List<Plan.Output> left, BlockValues values, List<Placed> where, List<Placed> keys, List<Placed> per) {
        List<Plan.Output> outputs = StageOutputs.same(left, values);
        Pattern match = values.with(Pattern.EMPTY);
        Plan.Stage made = stage(match, outputs, false, plain(where), plain(keys), plain(per));
        Plan.Result all = new Plan.Result(List.copyOf(outputs), false, false);
        return new Plan.Stage(match, all, made.where(), made.order(), made.window());
    }

    /** Makes the items of the list variables of the next stage. */
    private void leave(List<Placed> list, Leaving leaving) {
        boolean isWhole = list.size() == syntax.projections().size();
        for (int i = 0; isWhole && i < list.size(); i++) {
            leave(syntax.projections().get(i), list.get(i).expression, leaving);
        }
        leaving.scope.droppedNames().forEach(leaving.next::drop);
        for (String name : leaving.scope.visible().keySet()) {
            if (leaving.next.find(name) == null) {
                leaving.next.drop(name, syntax.span());
            }
        }
        if (!isWhole) {
            // Every use of what this list should have left would be a finding, too.
            throw findings.silent();
        }
    }

    /**
     * The stage before the statements of a mutation: its outputs are its variables that have a name.
     *
     * @param order of the rows, before that of their ids
     */
    Plan.Stage rows(PatternDeclarer declarer, Scope scope, List<Plan.SortKey> order) {
        PatternBuilder builder = builder(declarer);
        BlockValues values = builder.values(scope);
        Pattern match = values.with(match(builder, declarer, scope, values));
        return StageOutputs.rows(match, scope, order);
    }

    private static List<Expression> plain(List<Placed> list) {
        return list.stream().map(Placed::expression).toList();
    }

    private Plan.Stage stage(
            Pattern match,
            List<Plan.Output> outputs,
            boolean grouped,
            List<Expression> where,
            List<Expression> keys,
            List<Expression> per) {
        List<Plan.SortKey> order = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            order.add(new Plan.SortKey(keys.get(i), syntax.order().get(i).descending()));
        }
        return new Plan.Stage(
                match,
                new Plan.Result(List.copyOf(outputs), syntax.distinct(), grouped),
                List.copyOf(where),
                List.copyOf(order),
                new Plan.Window(window.skip(), window.limit(), List.copyOf(per)));
    }

    private PatternBuilder builder(PatternDeclarer declarer) {
        return new PatternBuilder(catalog, findings, parameters, declarer);
    }

    private Pattern match(PatternBuilder builder, PatternDeclarer declarer, Scope scope, BlockValues values) {
        ClauseSyntax.Block written = syntax.match();
        ClauseSyntax.Block block = written != null ? written : new ClauseSyntax.Block(List.of(), syntax.span());
        BlockScope declared = declarer.declareStage(block, scope);
        return builder.build(declared, values);
    }

    /** The items of the list. */
    private List<Placed> columns(PatternEnvironment environment, boolean isReturn) {
        List<Placed> expressions = new ArrayList<>();
        Map<String, GqFile.Projection> columns = new LinkedHashMap<>();
        for (GqFile.Projection projection : syntax.projections()) {
            String name = isReturn ? projection.column() : "$" + projection.column();
            if (columns.putIfAbsent(name, projection) != null) {
                findings.note(
                        "T25",
                        projection.span(),
                        "two " + (isReturn ? "columns" : "variables") + " are named `" + name + "`",
                        "name one of them: `" + findings.text(projection.span()) + " as "
                                + (isReturn ? "other`" : "$other`"));
            }
            findings.attempt(() -> {
                Expression expression = checker(environment, null).check(projection.expression());
                String alias = projection.alias();
                if (isReturn && alias != null) {
                    aliases.put(alias, new Expression.OutputOf(expressions.size(), expression.type()));
                }
                expressions.add(new Placed(expression, projection.span()));
            });
        }
        return expressions;
    }

    /** The variables of the stage, those that it leaves, and who numbers them. */
    record Leaving(Scope scope, Scope next, PatternDeclarer declarer) {}

    /** Makes an item of {@code with} a variable of the next stage. */
    private void leave(GqFile.Projection item, Expression expression, Leaving leaving) {
        String name = item.column();
        if (parameters.has(name)) {
            findings.note(
                    "T7",
                    item.span(),
                    "`$" + name + "` is a parameter and cannot be bound",
                    item.alias() == null
                            ? "leave it out: parameters are visible in every stage"
                            : "give the variable another name");
            return;
        }
        ValueType type = expression.type();
        Scope.Variable entity =
                expression instanceof Expression.EntityOf && item.expression() instanceof ExpressionSyntax.Dollar dollar
                        ? leaving.scope.find(dollar.name())
                        : null;
        if (entity != null) {
            if (entity.slot.name.equals(name)) {
                leaving.next.put(name, entity.seenFromWithin());
                return;
            }
            Scope.Slot slot = entity.slot.renamed(name, item.span().start());
            if (entity.types != null) {
                slot.types.addAll(entity.types);
            }
            leaving.declarer.add(slot);
            leaving.next.put(name, entity.seenIn(slot));
        } else if (type == null) {
            findings.note("T4", item.span(), "`$" + name + "` would be " + expression.typeName(), "leave it out");
        } else {
            put(name, type, item.span().start(), leaving);
        }
    }

    /** Binds a new variable of the next stage. */
    private static Scope.Variable put(String name, ValueType type, int position, Leaving leaving) {
        Scope.Slot slot = Scope.Slot.of(name, type, position);
        leaving.declarer.add(slot);
        Scope.Variable variable = new Scope.Variable(slot, false);
        if (type instanceof ValueType.Entity entity) {
            variable.types = new TreeSet<>(entity.types());
            variable.bound = true;
        }
        leaving.next.put(name, variable);
        return variable;
    }

    /** A part of a match that ends with a {@code let} or a {@code for}: it leaves all variables and the one of that. */
    Plan.Stage carried(PatternDeclarer declarer, Leaving leaving, ClauseSyntax.Given given) {
        Scope scope = leaving.scope;
        PatternBuilder builder = builder(declarer);
        BlockValues values = builder.values(scope);
        Pattern match = match(builder, declarer, scope, values);
        List<Plan.Output> outputs = new ArrayList<>();
        PatternEnvironment environment = environment(scope, Map.of(), values);
        scope.visible().forEach((name, variable) -> {
            if (StageOutputs.isNamed(variable)) {
                leaving.next.put(name, variable.seenFromWithin());
                outputs.add(new Plan.Output(name, PatternEnvironment.read(variable), variable.slot.number));
                Scope.Facets facets = variable.slot.facets;
                if (facets != null) {
                    outputs.add(facets.length().carried());
                    outputs.add(facets.cost().carried());
                }
            }
        });
        scope.droppedNames().forEach(leaving.next::drop);
        switch (given) {
            case ClauseSyntax.Let let -> {
                Expression value = checker(environment, "`let`").check(let.value());
                outputs.add(given(let.variable(), value, value.type(), false, leaving));
            }
            case ClauseSyntax.For each -> {
                Expression list = checker(environment, "`for`").check(each.list());
                if (list.family() != Family.LIST) {
                    throw findings.refuse(
                            "T4",
                            each.list().span(),
                            "`for` takes a list, but `"
                                    + findings.text(each.list().span()) + "` is " + list.typeName(),
                            null);
                }
                outputs.add(given(each.variable(), list, ValueType.itemOf(list.type()), true, leaving));
            }
        }
        Plan.Result result = new Plan.Result(List.copyOf(outputs), false, false);
        return new Plan.Stage(values.with(match), result, List.of(), List.of(), window);
    }

    private Plan.Output given(
            ClauseSyntax.VariableSyntax variable,
            Expression expression,
            @Nullable ValueType type,
            boolean each,
            Leaving leaving) {
        String name = String.valueOf(variable.name());
        if (parameters.has(name) || leaving.scope.find(name) != null) {
            throw findings.refuse(
                    "T7", variable.span(), "`$" + name + "` is bound already", "give the variable another name");
        }
        if (type == null) {
            throw findings.refuse(
                    "T4",
                    variable.span(),
                    "`$" + name + "` would be null always, because it is taken of " + expression.typeName(),
                    "leave it out");
        }
        Scope.Variable bound = put(name, type, variable.span().start(), leaving);
        return new Plan.Output(name, expression, bound.slot.number, each);
    }

    /** The conjuncts of the condition on the rows made. */
    private List<Placed> where(PatternEnvironment environment, @Nullable String noAggregate) {
        ExpressionSyntax written = syntax.where();
        List<Placed> conjuncts = new ArrayList<>();
        if (written != null) {
            findings.attempt(() -> {
                Expression condition = checker(environment, noAggregate).condition(written, "`where`");
                List<Expression> all = condition instanceof Expression.And and ? and.operands() : List.of(condition);
                all.forEach(each -> conjuncts.add(new Placed(each, written.span())));
            });
        }
        return conjuncts;
    }

    private List<Placed> orderKeys(PatternEnvironment environment, @Nullable String noAggregate) {
        List<Placed> keys = new ArrayList<>();
        for (GqFile.OrderKey key : syntax.order()) {
            findings.attempt(() -> {
                Expression expression = checker(environment, noAggregate).check(key.expression());
                Family family = expression.family();
                if (!family.ordered() && family != Family.BOOL) {
                    throw findings.refuse(
                            "T4",
                            key.expression().span(),
                            "cannot order by " + expression.typeName(),
                            family == Family.ENTITY ? "order by its `@id` or a property" : null);
                }
                keys.add(new Placed(expression, key.expression().span()));
            });
        }
        return keys;
    }

    private List<Placed> per(PatternEnvironment environment, @Nullable String noAggregate) {
        List<Placed> values = new ArrayList<>();
        for (ExpressionSyntax value : syntax.window().per()) {
            findings.attempt(() ->
                    values.add(new Placed(checker(environment, noAggregate).check(value), value.span())));
        }
        return values;
    }

    private ExpressionChecker checker(PatternEnvironment environment, @Nullable String noAggregate) {
        return new ExpressionChecker(findings, parameters, environment, noAggregate, window.limit() != null);
    }

    private PatternEnvironment environment(Scope scope, Map<String, Expression.OutputOf> names, BlockValues values) {
        return new PatternEnvironment(
                catalog, findings, parameters, scope, new PatternEnvironment.Names(names, values, null));
    }

    private List<Expression> settleOutputs(List<Placed> list, boolean grouped) {
        Map<Expression, Integer> keys = new LinkedHashMap<>();
        for (int i = 0; grouped && i < list.size(); i++) {
            findings.work().step();
            if (!Grouping.holdsAggregate(list.get(i).expression)) {
                keys.putIfAbsent(list.get(i).expression, i);
            }
        }
        List<Expression> settled = new ArrayList<>();
        for (Placed each : list) {
            boolean mixes = grouped && Grouping.holdsAggregate(each.expression);
            settled.add(mixes ? mixed(each, keys) : each.expression);
        }
        return settled;
    }

    /** Checks an output with an aggregate: everything else in it must be a group key and is read from that column. */
    private Expression mixed(Placed placed, Map<Expression, Integer> keys) {
        findings.work().step();
        Expression settled = Grouping.settle(placed.expression, keys);
        if (Grouping.readsRow(settled)) {
            findings.note(
                    "T9",
                    placed.span,
                    "`"
                            + findings.text(placed.span)
                            + "` mixes an aggregate with a value that differs within the group",
                    "return that value as a separate column too, which makes it part of the group key");
        }
        return settled;
    }

    /** What follows {@code return}, with references to the columns that it repeats. */
    private Expression ofResult(Placed placed, Map<Expression, Integer> columns, boolean grouped) {
        Integer column = columns.get(placed.expression);
        Expression written = placed.expression;
        Expression settled = column != null ? new Expression.OutputOf(column, written.type()) : written;
        if (!grouped && !syntax.distinct()) {
            return settled;
        }
        settled = Grouping.settle(settled, columns);
        boolean foreign = Grouping.readsRow(settled) || (syntax.distinct() && Grouping.holdsAggregate(settled));
        if (foreign) {
            findings.note(
                    "T6",
                    placed.span,
                    "`"
                            + findings.text(placed.span)
                            + "` is not part of the "
                            + (syntax.distinct() ? "distinct" : "grouped")
                            + " result",
                    "return it as well, or name a column" + (syntax.distinct() ? "" : " or an aggregate"));
        }
        return settled;
    }
}
