package service.projection.query.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Pattern.Block;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Refinement;
import service.core.gq.plan.Rewrite;
import service.core.gq.plan.Variable;
import service.core.gq.plan.Walk;
import service.core.value.Value;

/**
 * Takes tests of whether a block has a match from the number of its matches, where a walk's rule counts the same block
 * as well. A condition of {@code exists { … }} and a cost that is made of {@code count { … }} then need one run of the
 * block: where there is no match the two do the same, and where there is one, the count is needed anyway.
 */
final class CountedTests {
    private final List<Variable> variables;

    /** The expressions that replace tests, by the slots of the tests. */
    private final Map<Integer, Expression> counted = new HashMap<>();

    private CountedTests(List<Variable> variables) {
        this.variables = variables;
    }

    /** The walk with such tests replaced in its rule; the same object when there is none. */
    static Walk replaced(Walk walk, List<Variable> variables) {
        Walk.Rule rule = walk.rule();
        if (rule == null || rule.where().blocks().size() < 2) {
            return walk;
        }
        Walk.Rule with = new CountedTests(variables).replaced(rule);
        return with.equals(rule)
                ? walk
                : new Walk(walk.minHops(), walk.maxHops(), walk.mode(), walk.slots(), with, walk.origin());
    }

    private Walk.Rule replaced(Walk.Rule rule) {
        Pattern where = rule.where();
        List<Block> kept = new ArrayList<>();
        for (Block block : where.blocks()) {
            Expression count =
                    block instanceof Block.Value test && test.aggregate() == null ? count(test, where.blocks()) : null;
            if (count == null) {
                kept.add(block);
            } else {
                counted.put(((Block.Value) block).slot(), count);
            }
        }
        boolean isRead = kept.stream()
                .anyMatch(block -> PatternSlots.used(block.pattern()).stream().anyMatch(counted::containsKey));
        if (counted.isEmpty() || isRead) {
            return rule;
        }
        Pattern pattern = new Pattern(
                where.bound(),
                where.traversals(),
                where.filters().stream().map(this::replaced).toList(),
                List.copyOf(kept));
        Expression by = rule.by();
        return new Walk.Rule(rule.source(), rule.edge(), rule.destination(), pattern, by == null ? null : replaced(by));
    }

    private Expression replaced(Expression expression) {
        Expression count = expression instanceof Expression.ValueOf value ? counted.get(value.slot()) : null;
        return count != null ? count : Rewrite.operands(expression, this::replaced);
    }

    /** Whether the number of the same matches is above 0; null when that is not counted. */
    private @Nullable Expression count(Block.Value test, List<Block> blocks) {
        for (Block block : blocks) {
            if (block instanceof Block.Value value
                    && isCount(value.aggregate())
                    && isSame(test.pattern(), value.pattern())) {
                Expression.Aggregate aggregate = Objects.requireNonNull(value.aggregate());
                return new Expression.Compare(
                        Expression.ComparisonOperator.GREATER,
                        new Expression.ValueOf(value.slot(), aggregate.type()),
                        new Expression.Literal(new Value.Int(0), aggregate.type()));
            }
        }
        return null;
    }

    private static boolean isCount(Expression.@Nullable Aggregate aggregate) {
        return aggregate != null
                && aggregate.function() == Expression.AggregateFunction.COUNT
                && aggregate.operand() instanceof Expression.Literal
                && aggregate.refinement().equals(Refinement.NONE);
    }

    /**
     * Whether two patterns that cannot fail, without blocks and walks, are the same, but for the slots that they bind.
     */
    private boolean isSame(Pattern one, Pattern other) {
        Map<Integer, Integer> slots = new HashMap<>();
        return isPlain(one)
                && isPlain(other)
                && pair(one.bound(), other.bound(), slots)
                && pair(edges(one), edges(other), slots)
                && one.traversals().stream()
                        .map(t -> renamed(t, slots))
                        .toList()
                        .equals(other.traversals())
                && one.filters().stream()
                        .map(filter -> renamed(filter, slots))
                        .toList()
                        .equals(other.filters());
    }

    private static boolean isPlain(Pattern pattern) {
        return pattern.blocks().isEmpty()
                && pattern.traversals().stream().noneMatch(Traversal::hopRange)
                && pattern.filters().stream().noneMatch(Expressions::canFail);
    }

    private static List<Integer> edges(Pattern pattern) {
        return pattern.traversals().stream().map(Traversal::edge).toList();
    }

    /** Notes which slot of one corresponds to which of the other; false when their types differ. */
    private boolean pair(List<Integer> one, List<Integer> other, Map<Integer, Integer> into) {
        boolean isSame = one.size() == other.size();
        for (int i = 0; isSame && i < one.size(); i++) {
            int a = one.get(i);
            int b = other.get(i);
            into.put(a, b);
            isSame = (a < 0 || b < 0)
                    ? a == b
                    : variables.get(a).type().equals(variables.get(b).type());
        }
        return isSame;
    }

    private static Traversal renamed(Traversal t, Map<Integer, Integer> slots) {
        return new Traversal(
                slots.getOrDefault(t.from(), t.from()),
                slots.getOrDefault(t.to(), t.to()),
                slots.getOrDefault(t.edge(), t.edge()),
                t.edgeTypes(),
                t.undirected(),
                t.walk());
    }

    private static Expression renamed(Expression expression, Map<Integer, Integer> slots) {
        return expression instanceof Expression.SlotRead read
                ? Expressions.at(read, slots.getOrDefault(read.slot(), read.slot()))
                : Rewrite.operands(expression, operand -> renamed(operand, slots));
    }
}
