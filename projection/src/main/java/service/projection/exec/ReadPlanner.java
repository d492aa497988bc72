package service.projection.exec;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.port.GraphView;
import service.core.value.Value;

/**
 * Plans a whole read: the match, then grouping, projection, order and limit. Without grouping or
 * distinctness only the sort keys are computed before the sort; the outputs are read for the rows
 * that survive it.
 */
final class ReadPlanner {
    private final GraphView view;
    private final Plan.Read plan;
    private final List<Value> arguments;
    private final Choices choices;
    private final List<Expression> outputs = new ArrayList<>();
    private final List<Expression> sortKeys = new ArrayList<>();

    ReadPlanner(GraphView view, Plan.Read plan, List<Value> arguments, Choices choices) {
        this.choices = choices;
        this.view = view;
        this.plan = plan;
        this.arguments = arguments;
        for (Plan.Output output : plan.outputs()) {
            outputs.add(Expressions.bind(output.expression(), arguments));
        }
        for (Plan.SortKey key : plan.order()) {
            sortKeys.add(Expressions.bind(key.expression(), arguments));
        }
    }

    /** Whether rows may be handed out as they come and work may stop early. */
    boolean stopsEarly() {
        return plan.limit() != null && plan.order().isEmpty() && !plan.grouped();
    }

    /** Slots that may hold null: those of optional blocks. */
    static BitSet nullable(Pattern pattern) {
        BitSet slots = new BitSet();
        for (Pattern.Block block : pattern.blocks()) {
            if (block instanceof Pattern.Block.Optional optional) {
                PatternPlanner.boundBy(optional.pattern()).forEach(slots::set);
            }
        }
        return slots;
    }

    Node plan() {
        long skip = number(plan.skip(), "skip", 0);
        long limit = number(plan.limit(), "limit", -1);
        Node node = plan.grouped() ? grouped() : null;
        if (node == null) {
            Node match = match();
            if (!plan.distinct()) {
                return late(match, skip, limit);
            }
            List<Expression> computed = new ArrayList<>(outputs);
            sortKeys.forEach(key -> computed.add(inlined(key)));
            node = new Node.Project(match, computed, match.rows());
        }
        if (plan.distinct()) {
            node = new Node.Distinct(node, outputs.size(), node.rows());
        }
        if (!plan.order().isEmpty()) {
            List<Node.Key> keys = new ArrayList<>();
            for (int i = 0; i < sortKeys.size(); i++) {
                keys.add(new Node.Key(outputs.size() + i, plan.order().get(i).descending()));
            }
            for (int i = 0; i < outputs.size(); i++) {
                keys.add(new Node.Key(i, false));
            }
            node = sorted(node, keys, List.of(), skip, limit);
        }
        return limited(node, skip, limit);
    }

    private Node match() {
        return new PatternPlanner(view, plan.variables(), arguments, choices).plan(plan.match());
    }

    /** Sort, limit, and only then the outputs. */
    private Node late(Node match, long skip, long limit) {
        Node node = match;
        if (!plan.order().isEmpty()) {
            List<Expression> computed = new ArrayList<>();
            List<Node.Key> keys = new ArrayList<>();
            for (int i = 0; i < sortKeys.size(); i++) {
                Expression key = inlined(sortKeys.get(i));
                // An entity sorts by its id.
                computed.add(
                        key instanceof Expression.EntityOf e ? new Expression.IdOf(e.slot()) : key);
                keys.add(new Node.Key(i, plan.order().get(i).descending()));
            }
            node = new Node.Project(node, computed, node.rows());
            List<Integer> ties = new ArrayList<>(PatternPlanner.boundBy(plan.match()));
            ties.sort(null);
            node = sorted(node, keys, ties, skip, limit);
        }
        node = limited(node, skip, limit);
        List<Expression> whole = new ArrayList<>();
        outputs.forEach(output -> whole.add(inlined(output)));
        return new Node.Project(node, whole, node.rows());
    }

    private Node sorted(
            Node input, List<Node.Key> keys, List<Integer> ties, long skip, long limit) {
        StringBuilder detail = new StringBuilder();
        for (int i = 0; i < sortKeys.size(); i++) {
            detail.append(i == 0 ? "" : ", ")
                    .append(Describe.expression(inlined(sortKeys.get(i)), plan.variables()))
                    .append(plan.order().get(i).descending() ? " desc" : "");
        }
        long keep = limit < 0 ? -1 : skip > Long.MAX_VALUE - limit ? -1 : skip + limit;
        double rows = keep < 0 ? input.rows() : Math.min((double) keep, input.rows());
        return new Node.Sort(input, keys, ties, keep, detail.toString(), rows);
    }

    private static Node limited(Node input, long skip, long limit) {
        if (skip == 0 && limit < 0) {
            return input;
        }
        double left = Math.max(0, input.rows() - skip);
        return new Node.Limit(
                input, skip, limit, limit < 0 ? left : Math.min((double) limit, left));
    }

    /** Replaces references to outputs by what stands there. */
    private Expression inlined(Expression expression) {
        if (expression instanceof Expression.OutputOf of) {
            return inlined(outputs.get(of.index()));
        }
        return Expressions.withChildren(expression, this::inlined);
    }

    /** Groups, then computes outputs and sort keys from the groups' keys and aggregates. */
    private Node grouped() {
        List<Expression> keys = new ArrayList<>();
        for (Expression output : outputs) {
            if (!Expressions.hasAggregate(output) && !keys.contains(inlined(output))) {
                keys.add(inlined(output));
            }
        }
        List<Expression.Aggregate> aggregates = new ArrayList<>();
        List<Expression> computed = new ArrayList<>();
        outputs.forEach(output -> computed.add(overGroups(inlined(output), keys, aggregates)));
        sortKeys.forEach(key -> computed.add(overGroups(inlined(key), keys, aggregates)));
        Node counts = counts(keys, aggregates);
        if (counts != null) {
            return new Node.Project(counts, computed, 1);
        }
        Node match = match();
        double rows = keys.isEmpty() ? 1 : Math.max(1, Math.sqrt(match.rows()));
        Node groups = new Node.Aggregate(match, keys, aggregates, rows);
        return new Node.Project(groups, computed, rows);
    }

    private static Expression overGroups(
            Expression expression, List<Expression> keys, List<Expression.Aggregate> aggregates) {
        int key = keys.indexOf(expression);
        if (key >= 0) {
            return new Expression.OutputOf(key, expression.type());
        }
        if (expression instanceof Expression.Aggregate aggregate) {
            int known = aggregates.indexOf(aggregate);
            if (known < 0) {
                known = aggregates.size();
                aggregates.add(aggregate);
            }
            return new Expression.OutputOf(keys.size() + known, aggregate.type());
        }
        return Expressions.withChildren(expression, child -> overGroups(child, keys, aggregates));
    }

    /** Counts of a whole type, which the view knows without looking at an entity. */
    private @Nullable Node counts(List<Expression> keys, List<Expression.Aggregate> aggregates) {
        Pattern match = plan.match();
        boolean bare =
                keys.isEmpty()
                        && match.bound().size() == 1
                        && match.traversals().isEmpty()
                        && match.filters().isEmpty()
                        && match.blocks().isEmpty();
        if (!bare) {
            return null;
        }
        for (Expression.Aggregate aggregate : aggregates) {
            boolean countsEntities =
                    aggregate.function() == AggregateFunction.COUNT
                            && (aggregate.operand() instanceof Expression.EntityOf
                                    || (aggregate.operand() instanceof Expression.IdOf
                                            && !aggregate.distinct()));
            if (!countsEntities) {
                return null;
            }
        }
        List<Integer> types = plan.variables().get(match.bound().getFirst()).types();
        return new Node.Counts(types, aggregates.size(), 1);
    }

    private long number(@Nullable Expression expression, String what, long absent) {
        if (expression == null) {
            return absent;
        }
        Expression bound = Expressions.bind(expression, arguments);
        if (bound instanceof Expression.Literal literal) {
            if (literal.value() instanceof Value.Int(long n) && n >= 0) {
                return n;
            }
            if (literal.value() instanceof Value.UInt(long bits)) {
                return bits < 0 ? Long.MAX_VALUE : bits;
            }
            if (literal.value() instanceof Value.Null) {
                return absent;
            }
        }
        throw ServiceException.badRequest("`" + what + "` needs an integer that is not negative");
    }
}
