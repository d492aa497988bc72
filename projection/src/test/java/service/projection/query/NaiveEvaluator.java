package service.projection.query;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Pattern.Block;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Plan;
import service.core.schema.EntityType;
import service.core.testkit.HeapGraph;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.projection.query.plan.Expressions;
import service.projection.query.plan.PatternPlanner;

/**
 * The oracle: nested loops over all entities for every variable, then the conditions. Shares no code with the
 * operators. Entities in results are texts "id type".
 */
final class NaiveEvaluator {
    /** A row: the entity of each bound slot, null where an optional block had no match. */
    static final class Row extends TreeMap<Integer, HeapGraph.Entity> {
        Row(Map<Integer, HeapGraph.Entity> other) {
            super(other);
        }
    }

    private final HeapGraph graph;
    private final Plan.Read plan;
    private final NaiveExpressions expressions;

    NaiveEvaluator(HeapGraph graph, Plan.Read plan, List<Value> arguments) {
        this.graph = graph;
        this.plan = plan;
        this.expressions = new NaiveExpressions(graph, plan, arguments);
    }

    private Value eval(Expression expression, Row row, List<Row> group) {
        return expressions.eval(expression, row, group);
    }

    /** The result without {@code skip} and {@code limit}. */
    List<List<Value>> all() {
        List<Row> rows = matches(plan.match(), new Row(Map.of()));
        List<Result> results = new ArrayList<>();
        if (plan.result().grouped()) {
            group(rows, results);
        } else {
            for (Row row : rows) {
                results.add(result(List.of(row), row));
            }
        }
        if (plan.result().distinct()) {
            Map<Value, Result> first = new LinkedHashMap<>();
            results.forEach(r -> first.putIfAbsent(NaiveExpressions.normal(new Value.ListOf(r.values)), r));
            results = new ArrayList<>(first.values());
        }
        if (!plan.order().isEmpty()) {
            results.sort(this::order);
        }
        return results.stream().map(r -> r.values).toList();
    }

    List<List<Value>> limited(List<List<Value>> all) {
        int skip = number(plan.window().skip(), 0);
        int limit = number(plan.window().limit(), Integer.MAX_VALUE);
        return all.stream().skip(skip).limit(limit).toList();
    }

    private record Result(List<Value> values, List<Value> keys, Row row) {}

    private int number(Expression expression, int absent) {
        return expression == null ? absent : (int) ((Value.Int) eval(expression, new Row(Map.of()), List.of())).value();
    }

    private int order(Result left, Result right) {
        for (int i = 0; i < plan.order().size(); i++) {
            int order = ValueOrder.compare(left.keys.get(i), right.keys.get(i));
            if (order != 0) {
                return plan.order().get(i).descending() ? -order : order;
            }
        }
        if (plan.result().grouped() || plan.result().distinct()) {
            return ValueOrder.compare(new Value.ListOf(left.values), new Value.ListOf(right.values));
        }
        for (int slot = 0; slot < plan.variables().size(); slot++) {
            HeapGraph.Entity a = left.row.get(slot);
            HeapGraph.Entity b = right.row.get(slot);
            Value l = a == null ? Value.NULL : new Value.Text(a.id);
            Value r = b == null ? Value.NULL : new Value.Text(b.id);
            int order = ValueOrder.compare(l, r);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private void group(List<Row> rows, List<Result> results) {
        Map<Value, List<Row>> groups = new LinkedHashMap<>();
        boolean keyed = false;
        for (Plan.Output output : plan.result().outputs()) {
            keyed |= !Expressions.hasAggregate(output.expression());
        }
        if (!keyed) {
            groups.put(Value.NULL, new ArrayList<>());
        }
        for (Row row : rows) {
            List<Value> key = new ArrayList<>();
            for (Plan.Output output : plan.result().outputs()) {
                if (!Expressions.hasAggregate(output.expression())) {
                    key.add(eval(output.expression(), row, List.of(row)));
                }
            }
            Value whole = keyed ? NaiveExpressions.normal(new Value.ListOf(key)) : Value.NULL;
            groups.computeIfAbsent(whole, k -> new ArrayList<>()).add(row);
        }
        for (List<Row> group : groups.values()) {
            results.add(result(group, group.isEmpty() ? new Row(Map.of()) : group.getFirst()));
        }
    }

    private Result result(List<Row> group, Row row) {
        List<Value> values = new ArrayList<>();
        plan.result().outputs().forEach(o -> values.add(eval(o.expression(), row, group)));
        List<Value> keys = new ArrayList<>();
        plan.order().forEach(k -> keys.add(eval(k.expression(), row, group)));
        return new Result(values, keys, row);
    }

    private List<Row> matches(Pattern pattern, Row outer) {
        List<Row> rows = List.of(outer);
        for (int slot : pattern.bound()) {
            List<Row> more = new ArrayList<>();
            for (Row row : rows) {
                for (int type : plan.variables().get(slot).types()) {
                    for (HeapGraph.Entity entity : graph.live(type)) {
                        Row next = new Row(row);
                        next.put(slot, entity);
                        more.add(next);
                    }
                }
            }
            rows = more;
        }
        for (Traversal t : pattern.traversals()) {
            List<Row> more = new ArrayList<>();
            rows.forEach(row -> traverse(t, row, more));
            rows = more;
        }
        List<Expression> conjuncts = new ArrayList<>();
        pattern.filters().forEach(filter -> addConjuncts(filter, conjuncts));
        // A row that fails a filter needs no evaluation of blocks.
        rows = rows.stream().filter(row -> passes(conjuncts, row, false)).toList();
        for (Block block : pattern.blocks()) {
            rows = apply(block, rows);
        }
        return rows.stream().filter(row -> passes(conjuncts, row, true)).toList();
    }

    private static void addConjuncts(Expression filter, List<Expression> into) {
        if (filter instanceof Expression.And and) {
            and.operands().forEach(operand -> addConjuncts(operand, into));
        } else {
            into.add(filter);
        }
    }

    /** A condition that fails is an error only if every other condition is true. */
    private boolean passes(List<Expression> conjuncts, Row row, boolean whole) {
        NaiveFault fault = null;
        for (Expression conjunct : conjuncts) {
            boolean bound = Expressions.slots(conjunct).stream().allMatch(row::containsKey);
            if (!bound && !whole) {
                continue;
            }
            try {
                if (!NaiveExpressions.isTrue(eval(conjunct, row, List.of(row)))) {
                    return false;
                }
            } catch (NaiveFault e) {
                fault = e;
            }
        }
        if (fault != null && whole) {
            throw new NaiveFault(depth == 0);
        }
        return true;
    }

    private int depth;

    private List<Row> block(Pattern pattern, Row row) {
        depth++;
        try {
            return matches(pattern, row);
        } finally {
            depth--;
        }
    }

    private List<Row> apply(Block block, List<Row> rows) {
        List<Row> result = new ArrayList<>();
        for (Row row : rows) {
            List<Row> inner = block(block.pattern(), row);
            switch (block) {
                case Block.Optional ignored -> {
                    if (inner.isEmpty()) {
                        Row nulls = new Row(row);
                        PatternPlanner.boundBy(block.pattern()).forEach(s -> nulls.put(s, null));
                        result.add(nulls);
                    }
                    result.addAll(inner);
                }
                case Block.Exists exists -> {
                    if (inner.isEmpty() == exists.negated()) {
                        result.add(row);
                    }
                }
                case Block.Measure m -> {
                    Value measured =
                            m.operand() == null ? new Value.Int(inner.size()) : expressions.aggregate(m, inner);
                    Value bound = eval(m.bound(), row, List.of(row));
                    if (NaiveExpressions.isTrue(NaiveExpressions.compare(m.operator(), measured, bound))) {
                        result.add(row);
                    }
                }
            }
        }
        return result;
    }

    private void traverse(Traversal t, Row row, List<Row> into) {
        HeapGraph.Entity from = row.get(t.from());
        HeapGraph.Entity to = row.get(t.to());
        if (from == null || to == null) {
            return;
        }
        if (t.hopRange()) {
            int distance = distance(t, from, to);
            if (distance >= t.minHops() && distance <= t.maxHops()) {
                into.add(row);
            }
            return;
        }
        boolean matched = false;
        for (int type : t.edgeTypes()) {
            for (HeapGraph.Entity edge : graph.live(type)) {
                boolean joins = joins(edge, from, to) || (t.undirected() && joins(edge, to, from));
                if (joins && t.edge() >= 0) {
                    Row next = new Row(row);
                    next.put(t.edge(), edge);
                    into.add(next);
                }
                matched |= joins;
            }
        }
        if (matched && t.edge() < 0) {
            into.add(row);
        }
    }

    private boolean joins(HeapGraph.Entity edge, HeapGraph.Entity from, HeapGraph.Entity to) {
        EntityType.EdgeType type = (EntityType.EdgeType) graph.catalog.requireType(edge.type);
        return edge.source == from.ordinal
                && type.source() == from.type
                && edge.destination == to.ordinal
                && type.destination() == to.type;
    }

    /** The shortest distance. The start is at distance 1 from itself by a self-loop, else unreachable. */
    private int distance(Traversal t, HeapGraph.Entity from, HeapGraph.Entity to) {
        Set<HeapGraph.Entity> seen = new HashSet<>(Set.of(from));
        Set<HeapGraph.Entity> level = Set.of(from);
        for (int distance = 1; distance <= 64 && !level.isEmpty(); distance++) {
            Set<HeapGraph.Entity> next = new HashSet<>();
            for (HeapGraph.Entity near : level) {
                next.addAll(neighbours(t, near));
            }
            if (next.contains(to) && (from != to || distance == 1)) {
                return distance;
            }
            next.removeAll(seen);
            seen.addAll(next);
            level = next;
        }
        return Integer.MAX_VALUE;
    }

    private Set<HeapGraph.Entity> neighbours(Traversal t, HeapGraph.Entity near) {
        Set<HeapGraph.Entity> found = new HashSet<>();
        for (int identity : t.edgeTypes()) {
            EntityType.EdgeType type = (EntityType.EdgeType) graph.catalog.requireType(identity);
            for (HeapGraph.Entity edge : graph.live(identity)) {
                if (type.source() == near.type && edge.source == near.ordinal) {
                    found.add(graph.all(type.destination()).get(edge.destination));
                }
                boolean back = t.undirected() && type.destination() == near.type;
                if (back && edge.destination == near.ordinal) {
                    found.add(graph.all(type.source()).get(edge.source));
                }
            }
        }
        return found;
    }

    /** How often each row occurs. */
    static Map<List<Value>, Integer> bag(List<List<Value>> rows) {
        Map<List<Value>, Integer> bag = new HashMap<>();
        oneKind(rows).forEach(row -> bag.merge(row, 1, Integer::sum));
        return bag;
    }

    /**
     * Rows whose lists have each number in one kind. The order of a signed and an unsigned number of one value in a
     * collected list depends on the plan; in answers both are the same text.
     */
    static List<List<Value>> oneKind(List<List<Value>> rows) {
        return rows.stream()
                .map(row -> row.stream()
                        .map(value -> value instanceof Value.ListOf list
                                ? new Value.ListOf(list.items().stream()
                                        .map(NaiveEvaluator::signed)
                                        .toList())
                                : value)
                        .toList())
                .toList();
    }

    private static Value signed(Value value) {
        return value instanceof Value.UInt number && number.bits() >= 0 ? new Value.Int(number.bits()) : value;
    }
}
