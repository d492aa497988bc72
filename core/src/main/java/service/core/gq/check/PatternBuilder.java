package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Walk;
import service.core.gq.syntax.ClauseSyntax;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.schema.Catalog;
import service.core.value.EntityKind;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueType;

/** Builds the normal form of a match whose variables are declared. All filters become one conjunction. */
final class PatternBuilder {
    private final Catalog catalog;
    private final QueryFindings findings;
    private final ParameterTable parameters;

    PatternBuilder(Catalog catalog, QueryFindings findings, ParameterTable parameters) {
        this.catalog = catalog;
        this.findings = findings;
        this.parameters = parameters;
    }

    Pattern build(BlockScope declared) {
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
            findings.attempt(() -> add(clause, declared, filters, optionals, others));
        }
        optionals.addAll(others);
        return new Pattern(bound, traversals, List.copyOf(filters), List.copyOf(optionals));
    }

    private void add(
            ClauseSyntax clause,
            BlockScope declared,
            List<Expression> filters,
            List<Pattern.Block> optionals,
            List<Pattern.Block> others) {
        switch (clause) {
            case ClauseSyntax.Binding binding -> addMatches(binding, declared, filters);
            case ClauseSyntax.Traversal ignored -> {}
            case ClauseSyntax.Let ignored -> {}
            case ClauseSyntax.For ignored -> {}
            case ClauseSyntax.Filter filter ->
                addConjuncts(checker(declared.scope).condition(filter.expression(), "a filter"), filters);
            case ClauseSyntax.OptionalBlock optional ->
                optionals.add(new Pattern.Block.Optional(build(declared.innerOf(optional))));
            case ClauseSyntax.Existence existence ->
                others.add(new Pattern.Block.Exists(build(declared.innerOf(existence)), existence.negated()));
            case ClauseSyntax.Measure measure -> others.add(measure(measure, declared));
        }
    }

    private static void addConjuncts(Expression condition, List<Expression> filters) {
        if (condition instanceof Expression.And and) {
            filters.addAll(and.operands());
        } else {
            filters.add(condition);
        }
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
        findings.attempt(() -> {
            if (syntax.where() != null) {
                addConjuncts(stepChecker(step, "the condition of a step").condition(syntax.where(), "`where`"), where);
            }
        });
        findings.attempt(() -> {
            if (syntax.by() != null) {
                by.add(cost(syntax.by(), step));
            }
        });
        return new Walk.Rule(
                step.source().slot.number,
                step.edge().slot.number,
                step.destination().slot.number,
                List.copyOf(where),
                by.isEmpty() ? null : by.getFirst());
    }

    private Expression cost(ExpressionSyntax syntax, BlockScope.StepScope step) {
        Expression cost = stepChecker(step, "the cost of a step").check(syntax);
        if (cost.family() != Family.NUMBER) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "`by` takes a number, but `" + findings.text(syntax.span()) + "` is " + cost.typeName(),
                    "such as `by $e.km`");
        }
        return cost;
    }

    private ExpressionChecker stepChecker(BlockScope.StepScope step, String place) {
        return new ExpressionChecker(
                findings, parameters, environment(step.scope()).ofStep(), place, true);
    }

    private PatternEnvironment environment(Scope scope) {
        return new PatternEnvironment(catalog, findings, parameters, scope, Map.of());
    }

    private ExpressionChecker checker(Scope scope) {
        return new ExpressionChecker(findings, parameters, environment(scope), "a filter", true);
    }

    /** Turns {@code $p: Person { name: $n }} into {@code $p.name = $n}. */
    private void addMatches(ClauseSyntax.Binding binding, BlockScope declared, List<Expression> filters) {
        Scope.Variable variable = declared.variable(binding.variable());
        if (variable == null || variable.types == null) {
            return;
        }
        for (ClauseSyntax.Field field : binding.fields()) {
            findings.attempt(() -> filters.add(match(variable, field, declared)));
        }
    }

    private Expression match(Scope.Variable variable, ClauseSyntax.Field field, BlockScope declared) {
        environment(declared.scope).propertyOf(variable, field.name(), field.nameSpan());
        // Checked as the comparison that it is short for, so that rules and messages are the same.
        ExpressionSyntax.Dollar subject = new ExpressionSyntax.Dollar(variable.slot.name, field.nameSpan());
        ExpressionSyntax.Property property =
                new ExpressionSyntax.Property(subject, field.name(), field.nameSpan(), field.nameSpan());
        ExpressionSyntax comparison = new ExpressionSyntax.Compare(
                Expression.ComparisonOperator.EQUAL,
                property,
                field.value(),
                field.nameSpan().to(field.value().span()));
        return checker(declared.scope).check(comparison);
    }

    private Pattern.Block measure(ClauseSyntax.Measure syntax, BlockScope declared) {
        BlockScope inner = declared.innerOf(syntax);
        Pattern pattern = build(inner);
        ExpressionSyntax operandSyntax = syntax.operand();
        Expression operand = null;
        ValueType type = PropertyType.I64;
        if (operandSyntax != null) {
            ExpressionChecker checker = checker(inner.scope);
            operand = checker.check(operandSyntax);
            type = checker.aggregateType(syntax.function(), operand, operandSyntax.span());
        }
        Expression bound = checker(declared.scope).check(syntax.bound());
        requireComparable(type, bound, syntax);
        return new Pattern.Block.Measure(
                pattern, syntax.function(), operand, syntax.operator(), bound, findings.origin(syntax.span()));
    }

    private void requireComparable(@Nullable ValueType type, Expression bound, ClauseSyntax.Measure syntax) {
        if (type == null || Family.of(type) != bound.family()) {
            throw findings.refuse(
                    "T4",
                    syntax.bound().span(),
                    "the aggregate is " + type + " and cannot be compared with " + bound.typeName(),
                    null);
        }
    }
}
