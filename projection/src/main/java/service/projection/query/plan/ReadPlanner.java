package service.projection.query.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.schema.EntityType;
import service.core.value.PropertyType;

/**
 * Plans a whole read: the match, then grouping, projection, order and limit. Without grouping or distinctness only the
 * sort keys are computed before the sort; the outputs are read for the rows that survive it.
 */
public final class ReadPlanner {
    private final Statistics statistics;
    private final Plan.Read plan;
    private final Choices choices;
    private final List<Expression> outputs = new ArrayList<>();
    private final List<Expression> sortKeys = new ArrayList<>();

    public ReadPlanner(Statistics statistics, Plan.Read plan, Choices choices) {
        this.choices = choices;
        this.statistics = statistics;
        this.plan = plan;
        plan.result().outputs().forEach(output -> outputs.add(output.expression()));
        plan.order().forEach(key -> sortKeys.add(key.expression()));
    }

    /** Whether rows may be returned as they are found and work may stop early. */
    public static boolean stopsEarly(Plan.Read plan) {
        return plan.window().limit() != null
                && plan.order().isEmpty()
                && !plan.result().grouped();
    }

    /** Slots that may hold null: those of optional blocks. */
    public static BitSet nullable(Pattern pattern) {
        BitSet slots = new BitSet();
        for (Pattern.Block block : pattern.blocks()) {
            if (block instanceof Pattern.Block.Optional optional) {
                PatternPlanner.boundBy(optional.pattern()).forEach(slots::set);
            }
        }
        return slots;
    }

    public Node plan() {
        RowWindow window = new RowWindow(plan.window().skip(), plan.window().limit());
        Node node = plan.result().grouped() ? grouped() : null;
        if (node == null) {
            Node match = match();
            if (!plan.result().distinct()) {
                return late(match, window);
            }
            List<Expression> computed = new ArrayList<>(outputs);
            sortKeys.forEach(key -> computed.add(inlined(key)));
            node = new Node.Project(match, computed, match.rows());
        }
        if (plan.result().distinct()) {
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
            node = sorted(node, keys, List.of(), window);
        }
        return limited(node, window);
    }

    private Node match() {
        return new PatternPlanner(statistics, plan.variables(), choices).plan(plan.match());
    }

    /** Sorts and limits, then computes the outputs. */
    private Node late(Node match, RowWindow window) {
        Node node = match;
        if (!plan.order().isEmpty()) {
            List<Expression> computed = new ArrayList<>();
            List<Node.Key> keys = new ArrayList<>();
            for (int i = 0; i < sortKeys.size(); i++) {
                Expression key = inlined(sortKeys.get(i));
                // Entities are sorted by their ids.
                computed.add(key instanceof Expression.EntityOf e ? new Expression.IdOf(e.slot()) : key);
                keys.add(new Node.Key(i, plan.order().get(i).descending()));
            }
            node = new Node.Project(node, computed, node.rows());
            List<Integer> ties = new ArrayList<>(PatternPlanner.boundBy(plan.match()));
            ties.sort(null);
            node = sorted(node, keys, ties, window);
        }
        node = limited(node, window);
        List<Expression> whole = new ArrayList<>();
        outputs.forEach(output -> whole.add(inlined(output)));
        return new Node.Project(node, whole, node.rows());
    }

    private Node sorted(Node input, List<Node.Key> keys, List<Integer> ties, RowWindow window) {
        List<Expression> by = sortKeys.stream().map(this::inlined).toList();
        RowWindow kept = window.limit() == null ? null : window;
        return new Node.Sort(input, keys, ties, by, kept, window.needed(input.rows()));
    }

    private static Node limited(Node input, RowWindow window) {
        return window.skip() == null && window.limit() == null
                ? input
                : new Node.Limit(input, window, window.left(input.rows()));
    }

    /** Replaces references to outputs by their expressions. */
    private Expression inlined(Expression expression) {
        if (expression instanceof Expression.OutputOf of) {
            return inlined(outputs.get(of.index()));
        }
        return Expressions.withChildren(expression, this::inlined);
    }

    /** Groups, then computes outputs and sort keys from the keys and aggregates of the groups. */
    private Node grouped() {
        List<Expression> given = new ArrayList<>();
        for (Expression output : outputs) {
            if (!Expressions.hasAggregate(output) && !given.contains(inlined(output))) {
                given.add(inlined(output));
            }
        }
        BitSet entities = new BitSet();
        given.forEach(key -> addEntity(key, entities));
        List<Expression> keys = byEntity(given, entities);
        List<Expression.Aggregate> aggregates = new ArrayList<>();
        List<Expression> computed = new ArrayList<>();
        outputs.forEach(output -> computed.add(overGroups(inlined(output), keys, entities, aggregates)));
        sortKeys.forEach(key -> computed.add(overGroups(inlined(key), keys, entities, aggregates)));
        Node counts = counts(keys, aggregates);
        if (counts != null) {
            return new Node.Project(counts, computed, 1);
        }
        Node match = match();
        double rows = keys.isEmpty() ? 1 : Math.max(1, Math.sqrt(match.rows()));
        Node groups = new Node.Aggregate(match, keys, aggregates, rows);
        return new Node.Project(groups, computed, rows);
    }

    /** Adds the slot whose entity a key identifies: by its id, or by the property that is the key of its type. */
    private void addEntity(Expression key, BitSet into) {
        switch (key) {
            case Expression.EntityOf e -> into.set(e.slot());
            case Expression.IdOf e when isOfOneType(e.slot()) -> into.set(e.slot());
            case Expression.PropertyOf e when isOfOneType(e.slot()) && isKey(e) -> into.set(e.slot());
            default -> {}
        }
    }

    /** Entities of several types can have the same id. */
    private boolean isOfOneType(int slot) {
        return plan.variables().get(slot).types().size() == 1;
    }

    /** Different floating-point numbers can be equal, so a key of that type is not one. */
    private boolean isKey(Expression.PropertyOf property) {
        int type = plan.variables().get(property.slot()).types().getFirst();
        Integer identity = property.identityByType().get(type);
        return identity != null
                && statistics.catalog().requireType(type) instanceof EntityType.NodeType node
                && node.key().equals(List.of(identity))
                && !(property.type() instanceof PropertyType.Scalar scalar
                        && scalar.scalar().isFloat());
    }

    /** The same groups by entities, which are compared as numbers, without the keys that follow from them. */
    private static List<Expression> byEntity(List<Expression> given, BitSet entities) {
        List<Expression> keys = new ArrayList<>();
        entities.stream().forEach(slot -> keys.add(new Expression.EntityOf(slot)));
        for (Expression key : given) {
            if (!follows(key, entities)) {
                keys.add(key);
            }
        }
        return keys;
    }

    /** Whether an expression has one value for each combination of entities in the slots. */
    private static boolean follows(Expression expression, BitSet entities) {
        BitSet others = Expressions.slots(expression);
        boolean isConstant = others.isEmpty();
        others.andNot(entities);
        return !isConstant && others.isEmpty();
    }

    /** An expression over the columns of the groups and, for what follows from entities, over those. */
    private static Expression overGroups(
            Expression expression, List<Expression> keys, BitSet entities, List<Expression.Aggregate> aggregates) {
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
        return !Expressions.hasAggregate(expression) && follows(expression, entities)
                ? expression
                : Expressions.withChildren(expression, child -> overGroups(child, keys, entities, aggregates));
    }

    /** Counts whole types, which the view does without reading an entity. */
    private @Nullable Node counts(List<Expression> keys, List<Expression.Aggregate> aggregates) {
        Pattern match = plan.match();
        boolean bare = keys.isEmpty()
                && match.bound().size() == 1
                && match.traversals().isEmpty()
                && match.filters().isEmpty()
                && match.blocks().isEmpty();
        if (!bare) {
            return null;
        }
        for (Expression.Aggregate aggregate : aggregates) {
            boolean countsEntities = aggregate.function() == AggregateFunction.COUNT
                    && (aggregate.operand() instanceof Expression.EntityOf
                            || (aggregate.operand() instanceof Expression.IdOf && !aggregate.distinct()));
            if (!countsEntities) {
                return null;
            }
        }
        List<Integer> types = plan.variables().get(match.bound().getFirst()).types();
        return new Node.Counts(types, aggregates.size(), 1);
    }
}
