package service.core.gq.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.syntax.ClauseSyntax;
import service.core.gq.syntax.GqFile;
import service.core.schema.Catalog;

/** Checks one stage of a read: its match, the list of {@code with} or {@code return}, and what follows the list. */
final class StageChecker {
    private final Catalog catalog;
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final PatternDeclarer declarer;
    private final GqFile.Stage syntax;
    private final Plan.Window window;
    private final Map<String, Expression.OutputOf> aliases = new LinkedHashMap<>();

    private final Fusions fusions;

    private final StageTail tail;

    /**
     * A checker of a stage.
     *
     * @param declarer numbers the variables of the read
     * @param window the skip and the limit of the stage
     */
    StageChecker(
            Catalog catalog,
            QueryFindings findings,
            ParameterTable parameters,
            PatternDeclarer declarer,
            GqFile.Stage syntax,
            Plan.Window window) {
        this.catalog = catalog;
        this.findings = findings;
        this.parameters = parameters;
        this.declarer = declarer;
        this.fusions = new Fusions(declarer);
        this.syntax = syntax;
        this.window = window;
        this.tail = new StageTail(findings, parameters, syntax);
    }

    /** The last stage. */
    Plan.Stage returned(Scope scope) {
        PatternBuilder builder = builder();
        BlockValues values = builder.values(scope);
        Pattern written = match(builder, scope, values);
        List<StageTail.Placed> columns = columns(fusing(scope, Map.of(), values), true);
        PatternEnvironment ofRows = environment(scope, aliases, values);
        List<StageTail.Placed> where = tail.where(ofRows, null);
        List<StageTail.Placed> keys = tail.orderKeys(fusing(scope, aliases, values), List.of());
        List<StageTail.Placed> per = tail.per(ofRows, null);
        Pattern match = values.with(written);
        boolean grouped = false;
        for (List<StageTail.Placed> list : List.of(columns, where, keys, per)) {
            grouped |= list.stream().anyMatch(each -> Grouping.holdsAggregate(each.expression()));
        }
        fusions.requireRows(grouped, findings);
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
    List<Plan.Stage> bound(Scope scope, Scope next) {
        PatternBuilder builder = builder();
        BlockValues values = builder.values(scope);
        Pattern written = match(builder, scope, values);
        PatternEnvironment ofRows = environment(scope, Map.of(), values);
        List<StageTail.Placed> list = columns(ofRows, false);
        List<StageTail.Placed> aggregates = tail.aggregateKeys(ofRows);
        Pattern match = values.with(written);
        boolean grouped =
                !aggregates.isEmpty() || list.stream().anyMatch(each -> Grouping.holdsAggregate(each.expression()));
        leave(list, values, new Leaving(findings, parameters, declarer, scope, next));
        BlockValues ofLeft = builder.values(next);
        PatternEnvironment left = environment(next, Map.of(), ofLeft);
        List<StageTail.Placed> where = tail.where(left, "`where` after `with`");
        List<Scope.Slot> made =
                aggregates.stream().map(each -> StageTail.slot(each, declarer)).toList();
        List<StageTail.Placed> keys = tail.orderKeys(fusing(next, Map.of(), ofLeft), made);
        fusions.requireRows(grouped, findings);
        List<StageTail.Placed> per = tail.per(left, "`per` after `with`");
        if (!findings.errors().isEmpty()) {
            return List.of(stage(match, List.of(), grouped, List.of(), List.of(), List.of()));
        }
        int named = list.size();
        list.addAll(aggregates);
        List<Expression> settled = settleOutputs(list, grouped);
        List<Plan.Output> outputs = new ArrayList<>();
        for (int i = 0; i < named; i++) {
            String name = syntax.projections().get(i).column();
            Scope.Variable variable = next.visible().get(name);
            outputs.add(new Plan.Output(name, settled.get(i), variable == null ? -1 : variable.slot.number));
        }
        for (int i = 0; i < made.size(); i++) {
            outputs.add(new Plan.Output(made.get(i).name, settled.get(named + i), made.get(i).number));
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
            List<Plan.Output> left,
            BlockValues values,
            List<StageTail.Placed> where,
            List<StageTail.Placed> keys,
            List<StageTail.Placed> per) {
        List<Plan.Output> outputs = StageOutputs.same(left, values);
        Pattern match = values.with(Pattern.EMPTY);
        Plan.Stage made = stage(match, outputs, false, plain(where), plain(keys), plain(per));
        Plan.Result all = new Plan.Result(List.copyOf(outputs), false, false);
        return new Plan.Stage(match, all, made.where(), made.order(), made.window(), made.fusions());
    }

    /** Makes the items of the list variables of the next stage. */
    private void leave(List<StageTail.Placed> list, BlockValues values, Leaving leaving) {
        boolean isWhole = list.size() == syntax.projections().size();
        for (int i = 0; isWhole && i < list.size(); i++) {
            GqFile.Projection item = syntax.projections().get(i);
            boolean isRanking = tail.checker(environment(leaving.scope, Map.of(), values), null)
                    .isRanking(item.expression());
            leaving.item(item, list.get(i).expression(), isRanking);
        }
        leaving.dropOthers(syntax.span());
        if (!isWhole) {
            // Every use of what this list should have left would be a finding, too.
            throw findings.silent();
        }
    }

    /**
     * The rows of the last stage before the statements of a mutation.
     *
     * @param before the stages before it
     * @param order of the rows, before that of their ids
     */
    StatementRows rows(Scope scope, List<Plan.Stage> before, List<Plan.SortKey> order) {
        PatternBuilder builder = builder();
        BlockValues values = builder.values(scope);
        return new StatementRows(before, match(builder, scope, values), scope, values, order);
    }

    private static List<Expression> plain(List<StageTail.Placed> list) {
        return list.stream().map(StageTail.Placed::expression).toList();
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
            order.add(new Plan.SortKey(keys.get(i), tail.descending(i)));
        }
        return new Plan.Stage(
                match,
                new Plan.Result(List.copyOf(outputs), syntax.distinct(), grouped),
                List.copyOf(where),
                List.copyOf(order),
                new Plan.Window(window.skip(), window.limit(), List.copyOf(per)),
                fusions.list());
    }

    private PatternBuilder builder() {
        return new PatternBuilder(catalog, findings, parameters, declarer);
    }

    private Pattern match(PatternBuilder builder, Scope scope, BlockValues values) {
        ClauseSyntax.Block written = syntax.match();
        ClauseSyntax.Block block = written != null ? written : new ClauseSyntax.Block(List.of(), syntax.span());
        BlockScope declared = declarer.declareStage(block, scope);
        return builder.build(declared, values);
    }

    /** The items of the list. */
    private List<StageTail.Placed> columns(PatternEnvironment environment, boolean isReturn) {
        List<StageTail.Placed> expressions = new ArrayList<>();
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
                Expression checked = tail.checker(environment, null).check(projection.expression());
                Expression expression = isReturn ? checked : ValueTypes.typed(checked);
                String alias = projection.alias();
                if (isReturn && alias != null) {
                    aliases.put(alias, new Expression.OutputOf(expressions.size(), expression.type()));
                }
                expressions.add(new StageTail.Placed(expression, projection.span()));
            });
        }
        return expressions;
    }

    /**
     * A part of a match that ends with a clause which divides it: it leaves all variables and what that clause binds.
     */
    Plan.Stage carried(Leaving leaving, ClauseSyntax end) {
        Scope scope = leaving.scope;
        PatternBuilder builder = builder();
        BlockValues values = builder.values(scope);
        Pattern match = match(builder, scope, values);
        if (end instanceof ClauseSyntax.OptionalBlock optional) {
            match = builder.optional(match, optional, scope);
        }
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
        if (end instanceof ClauseSyntax.Given given) {
            outputs.add(leaving.given(given, environment));
        }
        Plan.Result result = new Plan.Result(List.copyOf(outputs), false, false);
        return new Plan.Stage(values.with(match), result, List.of(), List.of(), window);
    }

    private PatternEnvironment environment(Scope scope, Map<String, Expression.OutputOf> names, BlockValues values) {
        return new PatternEnvironment(
                catalog, findings, parameters, scope, new PatternEnvironment.Names(names, values, null, null));
    }

    /** The same where {@code rrf} may stand. */
    private PatternEnvironment fusing(Scope scope, Map<String, Expression.OutputOf> names, BlockValues values) {
        return new PatternEnvironment(
                catalog, findings, parameters, scope, new PatternEnvironment.Names(names, values, null, fusions));
    }

    private List<Expression> settleOutputs(List<StageTail.Placed> list, boolean grouped) {
        Map<Expression, Integer> keys = new LinkedHashMap<>();
        for (int i = 0; grouped && i < list.size(); i++) {
            findings.work().step();
            if (!Grouping.holdsAggregate(list.get(i).expression())) {
                keys.putIfAbsent(list.get(i).expression(), i);
            }
        }
        List<Expression> settled = new ArrayList<>();
        for (StageTail.Placed each : list) {
            boolean mixes = grouped && Grouping.holdsAggregate(each.expression());
            settled.add(mixes ? mixed(each, keys) : each.expression());
        }
        return settled;
    }

    /** Checks an output with an aggregate: everything else in it must be a group key and is read from that column. */
    private Expression mixed(StageTail.Placed placed, Map<Expression, Integer> keys) {
        findings.work().step();
        Expression settled = Grouping.settle(placed.expression(), keys);
        if (Grouping.readsRow(settled)) {
            findings.note(
                    "T9",
                    placed.span(),
                    "`"
                            + findings.text(placed.span())
                            + "` mixes an aggregate with a value that differs within the group",
                    "return that value as a separate column too, which makes it part of the group key");
        }
        return settled;
    }

    /** What follows {@code return}, with references to the columns that it repeats. */
    private Expression ofResult(StageTail.Placed placed, Map<Expression, Integer> columns, boolean grouped) {
        Integer column = columns.get(placed.expression());
        Expression written = placed.expression();
        Expression settled = column != null ? new Expression.OutputOf(column, written.type()) : written;
        if (!grouped && !syntax.distinct()) {
            return settled;
        }
        settled = Grouping.settle(settled, columns);
        boolean foreign = Grouping.readsRow(settled) || (syntax.distinct() && Grouping.holdsAggregate(settled));
        if (foreign) {
            findings.note(
                    "T6",
                    placed.span(),
                    "`"
                            + findings.text(placed.span())
                            + "` is not part of the "
                            + (syntax.distinct() ? "distinct" : "grouped")
                            + " result",
                    "return it as well, or name a column" + (syntax.distinct() ? "" : " or an aggregate"));
        }
        return settled;
    }
}
