package service.core.gq.check;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.gq.syntax.Mentions;
import service.core.text.Span;
import service.core.value.ValueType;

/** Checks what follows the list of a stage: its condition, its order, and what its window is kept by. */
final class StageTail {
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final GqFile.Stage syntax;

    /** For each key of the order whether it descends. */
    private final List<Boolean> descending = new ArrayList<>();

    StageTail(QueryFindings findings, ParameterTable parameters, GqFile.Stage syntax) {
        this.findings = findings;
        this.parameters = parameters;
        this.syntax = syntax;
    }

    /** An expression with its place in the source. */
    record Placed(Expression expression, Span span) {}

    /** @param noAggregate the place where aggregates are refused; null where they are allowed */
    ExpressionChecker checker(PatternEnvironment environment, @Nullable String noAggregate) {
        return new ExpressionChecker(findings, parameters, environment, noAggregate);
    }

    /** The conjuncts of the condition on the rows made. */
    List<Placed> where(PatternEnvironment environment, @Nullable String noAggregate) {
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

    /**
     * The keys of {@code order}.
     *
     * @param made slots of those that hold an aggregate, in their order, after {@code with}
     */
    List<Placed> orderKeys(PatternEnvironment environment, List<Scope.Slot> made) {
        List<Placed> keys = new ArrayList<>();
        Iterator<Scope.Slot> slots = made.iterator();
        for (GqFile.OrderKey key : syntax.order()) {
            Scope.Slot slot = slots.hasNext() && Mentions.holdsAggregate(key.expression()) ? slots.next() : null;
            ValueType type = slot == null ? null : slot.value;
            findings.attempt(() -> {
                keys.add(
                        slot == null || type == null
                                ? orderKey(key.expression(), environment)
                                : new Placed(
                                        new Expression.ValueOf(slot.number, type),
                                        key.expression().span()));
                descending.add(isDescending(checker(environment, null), key));
            });
        }
        return keys;
    }

    /** Whether the key of that number descends. */
    boolean descending(int key) {
        return descending.get(key);
    }

    /** A column is sorted as what it is an alias of. */
    private boolean isDescending(ExpressionChecker checker, GqFile.OrderKey key) {
        if (key.isDirected() || !(key.expression() instanceof ExpressionSyntax.Word word)) {
            return checker.isDescending(key);
        }
        return syntax.projections().stream()
                .anyMatch(item -> word.name().equals(item.alias()) && checker.isRanking(item.expression()));
    }

    private Placed orderKey(ExpressionSyntax key, PatternEnvironment environment) {
        Expression expression = checker(environment, null).check(key);
        Family family = expression.family();
        if (!family.ordered() && family != Family.BOOL) {
            throw findings.refuse(
                    "T4",
                    key.span(),
                    "cannot order by " + expression.typeName(),
                    family == Family.ENTITY ? "order by its `@id` or a property" : null);
        }
        return new Placed(expression, key.span());
    }

    /** The keys of {@code order} after {@code with} that hold an aggregate: they are over the rows, as the list is. */
    List<Placed> aggregateKeys(PatternEnvironment ofRows) {
        List<Placed> keys = new ArrayList<>();
        for (GqFile.OrderKey key : syntax.order()) {
            if (Mentions.holdsAggregate(key.expression())) {
                findings.attempt(() -> keys.add(aggregateKey(key.expression(), ofRows)));
            }
        }
        return keys;
    }

    private Placed aggregateKey(ExpressionSyntax key, PatternEnvironment ofRows) {
        if (syntax.distinct()) {
            throw findings.refuse(
                    "T6",
                    key.span(),
                    "`" + findings.text(key.span()) + "` is not part of the distinct result",
                    "leave `distinct` out: the rows of groups differ");
        }
        Placed placed = orderKey(key, ofRows);
        if (placed.expression.type() == null) {
            throw findings.refuse("T4", key.span(), "cannot order by " + placed.expression.typeName(), null);
        }
        return placed;
    }

    /** A slot that no source can name. */
    static Scope.Slot slot(Placed key, PatternDeclarer declarer) {
        ValueType type = Objects.requireNonNull(key.expression.type());
        Scope.Slot slot = Scope.Slot.of("#key", type, key.span.start());
        declarer.add(slot);
        return slot;
    }

    List<Placed> per(PatternEnvironment environment, @Nullable String noAggregate) {
        List<Placed> values = new ArrayList<>();
        for (ExpressionSyntax value : syntax.window().per()) {
            findings.attempt(() ->
                    values.add(new Placed(checker(environment, noAggregate).check(value), value.span())));
        }
        return values;
    }
}
