package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Refinement;
import service.core.gq.plan.Walk;
import service.core.gq.syntax.ClauseSyntax;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.schema.Catalog;
import service.core.value.EntityKind;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/** Builds the normal form of a match whose variables are declared. All filters become one conjunction. */
final class PatternBuilder {
    private final Catalog catalog;
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final PatternDeclarer declarer;

    PatternBuilder(Catalog catalog, QueryFindings findings, ParameterTable parameters, PatternDeclarer declarer) {
        this.catalog = catalog;
        this.findings = findings;
        this.parameters = parameters;
        this.declarer = declarer;
    }

    /** The values of blocks over the rows of a pattern with these variables. */
    BlockValues values(Scope scope) {
        return new BlockValues(this, declarer, scope, findings);
    }

    /**
     * A block whose variables are declared.
     *
     * @param last its last part, or the whole block
     * @param before the parts before the last; null for none
     */
    record Opened(BlockScope last, Pattern.Block.@Nullable Given before) {
        private Pattern after(Pattern pattern) {
            return behind(before, pattern);
        }
    }

    private static Pattern behind(Pattern.Block.@Nullable Given before, Pattern pattern) {
        if (before == null) {
            return pattern;
        }
        List<Pattern.Block> blocks = new ArrayList<>(List.of(before));
        blocks.addAll(pattern.blocks());
        return pattern.with(blocks);
    }

    /**
     * Declares the variables of a block, and builds all of its parts but the last.
     *
     * @param declared the block with its variables; null when they are to be declared now
     * @param outer what it sees outside of itself
     */
    Opened open(ClauseSyntax.Block block, @Nullable BlockScope declared, Scope outer) {
        if (declared != null || !block.isDivided()) {
            return new Opened(declared != null ? declared : declarer.declareWithin(block, outer), null);
        }
        Set<String> bound = outer.names();
        bound.addAll(parameters.names());
        List<ClauseSyntax> rest = new ArrayList<>();
        Scope scope = outer;
        Pattern.Block.Given before = null;
        for (MatchSplit.Part part : MatchSplit.of(findings, block, bound, rest)) {
            BlockScope own = declarer.declareWithin(part.block(), scope);
            BlockValues values = values(own.scope);
            Pattern pattern = build(own, values);
            scope = new Scope(own.scope);
            Plan.Output output = null;
            switch (part.end()) {
                case ClauseSyntax.OptionalBlock optional -> pattern = optional(pattern, optional, scope);
                case ClauseSyntax.Given given ->
                    output = new Leaving(findings, parameters, declarer, own.scope, scope)
                            .given(given, environment(own, values));
                default -> throw new IllegalStateException("no end of a part: " + part.end());
            }
            before = new Pattern.Block.Given(behind(before, values.with(pattern)), output);
        }
        return new Opened(declarer.declareWithin(new ClauseSyntax.Block(rest, block.span()), scope), before);
    }

    /**
     * A pattern with an optional block behind it that a clause divides.
     *
     * @param scope what the block sees; receives what it binds
     */
    Pattern optional(Pattern pattern, ClauseSyntax.OptionalBlock clause, Scope scope) {
        Opened opened = open(clause.block(), null, scope);
        Pattern block = build(opened);
        scope.takeWithin(opened.last.scope);
        List<Pattern.Block> blocks = new ArrayList<>(pattern.blocks());
        blocks.add(new Pattern.Block.Optional(block));
        return pattern.with(blocks);
    }

    private Pattern build(Opened opened) {
        BlockValues values = values(opened.last.scope);
        return opened.after(values.with(build(opened.last, values)));
    }

    /** The pattern of a block and its aggregate. */
    record Built(Pattern pattern, Expression.@Nullable Aggregate aggregate) {}

    /** Builds the block of a value. The aggregate may hold blocks over the matches. */
    Built buildWithin(Opened opened, ExpressionSyntax.BlockValue syntax) {
        BlockScope declared = opened.last;
        BlockValues values = values(declared.scope);
        Pattern pattern = build(declared, values);
        ExpressionSyntax.Aggregate written = syntax.aggregate();
        Expression.Aggregate aggregate = null;
        if (written != null) {
            Expression.Aggregate alone = checker(declared, values).unrefused(written);
            aggregate = new Expression.Aggregate(
                    alone.function(),
                    alone.distinct(),
                    alone.operand(),
                    alone.refinement(),
                    alone.type(),
                    findings.origin(syntax.span()));
        } else if (!syntax.exists()) {
            aggregate = new Expression.Aggregate(
                    Expression.AggregateFunction.COUNT,
                    false,
                    new Expression.Literal(new Value.Bool(true), PropertyType.BOOL),
                    Refinement.NONE,
                    PropertyType.I64,
                    findings.origin(syntax.span()));
        }
        return new Built(opened.after(values.with(pattern)), aggregate);
    }

    /** @param values receives the blocks that stand as values, without which the pattern is not whole */
    Pattern build(BlockScope declared, BlockValues values) {
        List<Integer> bound = declared.scope.own().stream()
                .filter(variable -> variable.slot.kind == EntityKind.NODE)
                .map(variable -> variable.slot.number)
                .sorted()
                .toList();
        List<Pattern.Traversal> traversals =
                declared.traversals.stream().map(this::traversal).toList();
        List<Expression> filters = new ArrayList<>();
        for (BlockScope.Narrowing narrowing : declared.narrowings) {
            filters.add(isOfType(narrowing));
        }
        List<Pattern.Block> optionals = new ArrayList<>();
        List<Pattern.Block> others = new ArrayList<>();
        for (ClauseSyntax clause : declared.block.clauses()) {
            findings.attempt(() -> add(clause, new Parts(declared, values, filters, optionals, others)));
        }
        optionals.addAll(others);
        return new Pattern(bound, traversals, List.copyOf(filters), List.copyOf(optionals));
    }

    /** A pattern while it is built. */
    private record Parts(
            BlockScope declared,
            BlockValues values,
            List<Expression> filters,
            List<Pattern.Block> optionals,
            List<Pattern.Block> others) {}

    private void add(ClauseSyntax clause, Parts parts) {
        switch (clause) {
            case ClauseSyntax.Binding binding -> addMatches(binding, parts);
            case ClauseSyntax.Traversal ignored -> {}
            case ClauseSyntax.Given ignored -> {}
            case ClauseSyntax.Filter filter -> addConjuncts(filter.expression(), parts);
            case ClauseSyntax.OptionalBlock optional ->
                parts.optionals.add(
                        new Pattern.Block.Optional(build(new Opened(parts.declared.innerOf(optional), null))));
        }
    }

    /** Blocks that are conditions themselves keep rows; all other conditions are filters. */
    private void addConjuncts(ExpressionSyntax condition, Parts parts) {
        List<ExpressionSyntax> operands =
                condition instanceof ExpressionSyntax.And and ? and.operands() : List.of(condition);
        List<ExpressionSyntax> others = new ArrayList<>();
        for (ExpressionSyntax operand : operands) {
            switch (operand) {
                case ExpressionSyntax.BlockValue block when block.exists() -> addExists(block, false, parts);
                case ExpressionSyntax.Not not
                when not.operand() instanceof ExpressionSyntax.BlockValue block && block.exists() ->
                    addExists(block, true, parts);
                default -> others.add(operand);
            }
        }
        if (others.isEmpty()) {
            return;
        }
        ExpressionSyntax filter = others.size() == operands.size()
                ? condition
                : new ExpressionSyntax.And(List.copyOf(others), condition.span());
        addAll(checker(parts.declared, parts.values).condition(filter, "a filter"), parts.filters);
    }

    private static void addAll(Expression condition, List<Expression> into) {
        if (condition instanceof Expression.And and) {
            into.addAll(and.operands());
        } else {
            into.add(condition);
        }
    }

    private void addExists(ExpressionSyntax.BlockValue block, boolean negated, Parts parts) {
        BlockScope known = parts.declared.innerOf(block);
        Opened opened = open(block.block(), known, parts.declared.scope);
        parts.others.add(new Pattern.Block.Exists(build(opened), negated));
    }

    private Expression isOfType(BlockScope.Narrowing narrowing) {
        List<Value> names = new ArrayList<>();
        narrowing
                .types()
                .forEach(type ->
                        names.add(new Value.Text(catalog.requireType(type).name())));
        return new Expression.In(
                new Expression.TypeOf(narrowing.variable().slot.number),
                new Expression.Literal(new Value.ListOf(names), new PropertyType.ListOf(ScalarType.STRING)));
    }

    private Pattern.Traversal traversal(BlockScope.Joined joined) {
        Scope.Variable before = joined.edge();
        return new Pattern.Traversal(
                joined.left().slot.number,
                joined.right().slot.number,
                before != null && before.slot.facets == null ? before.slot.number : -1,
                List.copyOf(joined.edgeTypes()),
                joined.syntax().edges().undirected(),
                walk(joined));
    }

    private @Nullable Walk walk(BlockScope.Joined joined) {
        ClauseSyntax.Hops hops = joined.syntax().hops();
        if (hops == null) {
            return null;
        }
        ClauseSyntax.Mode mode = joined.syntax().mode();
        Scope.Variable path = joined.edge();
        Scope.Facets facets = path == null ? null : path.slot.facets;
        return new Walk(
                hops.min(),
                hops.max(),
                mode == null ? Walk.Mode.SHORTEST : mode.mode(),
                path == null || facets == null
                        ? Walk.Slots.NONE
                        : new Walk.Slots(path.slot.number, facets.length().number, facets.cost().number),
                rule(joined),
                findings.origin(joined.syntax().span()));
    }

    private Walk.@Nullable Rule rule(BlockScope.Joined joined) {
        ClauseSyntax.Hops hops = joined.syntax().hops();
        ClauseSyntax.Step syntax = hops == null ? null : hops.step();
        BlockScope.StepScope step = joined.step();
        if (syntax == null || step == null) {
            return null;
        }
        List<Expression> where = new ArrayList<>();
        List<Expression> by = new ArrayList<>();
        BlockValues values = values(step.scope());
        findings.attempt(() -> {
            if (syntax.where() != null) {
                ExpressionChecker checker = stepChecker(step, values, "the condition of a step");
                addAll(checker.condition(syntax.where(), "`where`"), where);
            }
        });
        findings.attempt(() -> {
            if (syntax.by() != null) {
                by.add(cost(syntax.by(), step, values));
            }
        });
        return new Walk.Rule(
                step.source().slot.number,
                step.edge().slot.number,
                step.destination().slot.number,
                values.with(new Pattern(List.of(), List.of(), List.copyOf(where), List.of())),
                by.isEmpty() ? null : by.getFirst());
    }

    private Expression cost(ExpressionSyntax syntax, BlockScope.StepScope step, BlockValues values) {
        Expression cost = stepChecker(step, values, "the cost of a step").check(syntax);
        if (cost.family() != Family.NUMBER) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "`by` takes a number, but `" + findings.text(syntax.span()) + "` is " + cost.typeName(),
                    "such as `by $e.km`");
        }
        return cost;
    }

    private ExpressionChecker stepChecker(BlockScope.StepScope step, BlockValues values, String place) {
        PatternEnvironment.Names names = new PatternEnvironment.Names(Map.of(), values, null, null);
        PatternEnvironment ofStep = new PatternEnvironment(catalog, findings, parameters, step.scope(), names);
        return new ExpressionChecker(findings, parameters, ofStep, place);
    }

    private ExpressionChecker checker(BlockScope declared, BlockValues values) {
        return new ExpressionChecker(findings, parameters, environment(declared, values), "a filter");
    }

    private PatternEnvironment environment(BlockScope declared, BlockValues values) {
        return new PatternEnvironment(
                catalog,
                findings,
                parameters,
                declared.scope,
                new PatternEnvironment.Names(Map.of(), values, declared, null));
    }

    /** Turns {@code $p: Person { name: $n }} into {@code $p.name = $n}. */
    private void addMatches(ClauseSyntax.Binding binding, Parts parts) {
        Scope.Variable variable = parts.declared.variable(binding.variable());
        if (variable == null || variable.types == null) {
            return;
        }
        for (ClauseSyntax.Field field : binding.fields()) {
            findings.attempt(() -> parts.filters.add(match(variable, field, parts)));
        }
    }

    private Expression match(Scope.Variable variable, ClauseSyntax.Field field, Parts parts) {
        environment(parts.declared, parts.values).propertyOf(variable, field.name(), field.nameSpan());
        // Checked as the comparison that it is short for, so that rules and messages are the same.
        ExpressionSyntax.Dollar subject = new ExpressionSyntax.Dollar(variable.slot.name, field.nameSpan());
        ExpressionSyntax.Property property =
                new ExpressionSyntax.Property(subject, field.name(), field.nameSpan(), field.nameSpan());
        ExpressionSyntax comparison = new ExpressionSyntax.Compare(
                Expression.ComparisonOperator.EQUAL,
                property,
                field.value(),
                field.nameSpan().to(field.value().span()));
        return checker(parts.declared, parts.values).check(comparison);
    }
}
