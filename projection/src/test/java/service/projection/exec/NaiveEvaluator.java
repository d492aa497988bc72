package service.projection.exec;

import java.util.ArrayList;
import java.util.Comparator;
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
import service.core.value.Direction;
import service.core.value.Value;
import service.core.value.ValueOrder;

/**
 * The language read word by word: nested loops over all entities for every variable, then the
 * conditions. Shares nothing with the operators. Entities in results are texts "id type".
 */
final class NaiveEvaluator {
    /** A row: the entity of each bound slot, null where an optional block had no match. */
    private static final class Row extends TreeMap<Integer, HeapGraph.Entity> {
        Row(Map<Integer, HeapGraph.Entity> other) {
            super(other);
        }
    }

    private final HeapGraph graph;
    private final Plan.Read plan;
    private final List<Value> arguments;

    NaiveEvaluator(HeapGraph graph, Plan.Read plan, List<Value> arguments) {
        this.graph = graph;
        this.plan = plan;
        this.arguments = arguments;
    }

    List<List<Value>> run() {
        List<Row> rows = matches(plan.match(), new Row(Map.of()));
        List<Result> results = new ArrayList<>();
        if (plan.grouped()) {
            group(rows, results);
        } else {
            for (Row row : rows) {
                results.add(result(List.of(row), row));
            }
        }
        if (plan.distinct()) {
            Map<Value, Result> first = new LinkedHashMap<>();
            results.forEach(r -> first.putIfAbsent(normal(new Value.ListOf(r.values)), r));
            results = new ArrayList<>(first.values());
        }
        if (!plan.order().isEmpty()) {
            results.sort(this::order);
        }
        int skip = number(plan.skip(), 0);
        int limit = number(plan.limit(), Integer.MAX_VALUE);
        return results.stream().skip(skip).limit(limit).map(r -> r.values).toList();
    }

    private record Result(List<Value> values, List<Value> keys, Row row) {}

    private int number(Expression expression, int absent) {
        return expression == null
                ? absent
                : (int) ((Value.Int) eval(expression, new Row(Map.of()), List.of())).value();
    }

    private int order(Result left, Result right) {
        for (int i = 0; i < plan.order().size(); i++) {
            int order = ValueOrder.compare(left.keys.get(i), right.keys.get(i));
            if (order != 0) {
                return plan.order().get(i).descending() ? -order : order;
            }
        }
        if (plan.grouped() || plan.distinct()) {
            return ValueOrder.compare(
                    new Value.ListOf(left.values), new Value.ListOf(right.values));
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
        for (Plan.Output output : plan.outputs()) {
            keyed |= !Expressions.hasAggregate(output.expression());
        }
        if (!keyed) {
            groups.put(Value.NULL, new ArrayList<>());
        }
        for (Row row : rows) {
            List<Value> key = new ArrayList<>();
            for (Plan.Output output : plan.outputs()) {
                if (!Expressions.hasAggregate(output.expression())) {
                    key.add(eval(output.expression(), row, List.of(row)));
                }
            }
            Value whole = keyed ? normal(new Value.ListOf(key)) : Value.NULL;
            groups.computeIfAbsent(whole, k -> new ArrayList<>()).add(row);
        }
        for (List<Row> group : groups.values()) {
            results.add(result(group, group.isEmpty() ? new Row(Map.of()) : group.getFirst()));
        }
    }

    private Result result(List<Row> group, Row row) {
        List<Value> values = new ArrayList<>();
        plan.outputs().forEach(o -> values.add(eval(o.expression(), row, group)));
        List<Value> keys = new ArrayList<>();
        plan.order().forEach(k -> keys.add(eval(k.expression(), row, group)));
        return new Result(values, keys, row);
    }

    /** Makes values that the language calls equal equal in Java. */
    private static Value normal(Value value) {
        return switch (value) {
            case Value.Real(double real) when real == Math.rint(real) && Math.abs(real) < 1e15 ->
                    new Value.Int((long) real);
            case Value.UInt(long bits) when bits >= 0 -> new Value.Int(bits);
            case Value.ListOf(List<Value> items) ->
                    new Value.ListOf(items.stream().map(NaiveEvaluator::normal).toList());
            default -> value;
        };
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
        for (Block block : pattern.blocks()) {
            rows = apply(block, rows);
        }
        return rows.stream()
                .filter(
                        row ->
                                pattern.filters().stream()
                                        .allMatch(f -> isTrue(eval(f, row, List.of(row)))))
                .toList();
    }

    private List<Row> apply(Block block, List<Row> rows) {
        List<Row> result = new ArrayList<>();
        for (Row row : rows) {
            List<Row> inner = matches(block.pattern(), row);
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
                            m.operand() == null
                                    ? new Value.Int(inner.size())
                                    : aggregate(m.function(), false, m.operand(), inner);
                    Value bound = eval(m.bound(), row, List.of(row));
                    if (isTrue(compare(m.operator(), measured, bound))) {
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

    /** The shortest distance; the start is at 1 from itself by its own loop, else unreachable. */
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

    private static boolean isTrue(Value value) {
        return value.equals(new Value.Bool(true));
    }

    private static Value bool(boolean value) {
        return new Value.Bool(value);
    }

    private Value eval(Expression expression, Row row, List<Row> group) {
        return switch (expression) {
            case Expression.Literal e -> e.value();
            case Expression.Argument e -> arguments.get(e.index());
            case Expression.PropertyOf e -> {
                HeapGraph.Entity entity = row.get(e.slot());
                Integer property = entity == null ? null : e.identityByType().get(entity.type);
                yield property == null ? Value.NULL : entity.get(property);
            }
            case Expression.IdOf e ->
                    row.get(e.slot()) == null ? Value.NULL : new Value.Text(row.get(e.slot()).id);
            case Expression.TypeOf e -> {
                HeapGraph.Entity entity = row.get(e.slot());
                yield entity == null
                        ? Value.NULL
                        : new Value.Text(graph.catalog.requireType(entity.type).name());
            }
            case Expression.EndOf e -> end(row.get(e.slot()), e.end());
            case Expression.EntityOf e -> {
                HeapGraph.Entity entity = row.get(e.slot());
                yield entity == null ? Value.NULL : new Value.Text(entity.id + " " + entity.type);
            }
            case Expression.Not e -> {
                Value value = eval(e.operand(), row, group);
                yield value instanceof Value.Bool(boolean b) ? bool(!b) : value;
            }
            case Expression.And e -> connective(e.operands(), false, row, group);
            case Expression.Or e -> connective(e.operands(), true, row, group);
            case Expression.Compare e ->
                    compare(e.operator(), eval(e.left(), row, group), eval(e.right(), row, group));
            case Expression.TextTest e ->
                    text(e.operator(), eval(e.left(), row, group), eval(e.right(), row, group));
            case Expression.In e -> in(eval(e.left(), row, group), eval(e.list(), row, group));
            case Expression.ListOf e ->
                    new Value.ListOf(e.items().stream().map(i -> eval(i, row, group)).toList());
            case Expression.IsNull e ->
                    bool((eval(e.operand(), row, group) instanceof Value.Null) != e.negated());
            case Expression.Aggregate e ->
                    aggregate(e.function(), e.distinct(), e.operand(), group);
            case Expression.OutputOf e ->
                    eval(plan.outputs().get(e.index()).expression(), row, group);
            case Expression.Arithmetic e -> {
                Value l = eval(e.left(), row, group);
                Value r = eval(e.right(), row, group);
                yield l instanceof Value.Int(long a) && r instanceof Value.Int(long b)
                        ? new Value.Int(a + b)
                        : Value.NULL;
            }
            case Expression.Negate e -> throw new UnsupportedOperationException();
            case Expression.Call e -> {
                for (Expression argument : e.arguments()) {
                    Value value = eval(argument, row, group);
                    if (!(value instanceof Value.Null)) {
                        yield value;
                    }
                }
                yield Value.NULL;
            }
        };
    }

    private Value end(HeapGraph.Entity edge, Direction end) {
        if (edge == null) {
            return Value.NULL;
        }
        EntityType.EdgeType type = (EntityType.EdgeType) graph.catalog.requireType(edge.type);
        return new Value.Text(
                end == Direction.OUT
                        ? graph.all(type.source()).get(edge.source).id
                        : graph.all(type.destination()).get(edge.destination).id);
    }

    private Value connective(
            List<Expression> operands, boolean deciding, Row row, List<Row> group) {
        boolean unknown = false;
        for (Expression operand : operands) {
            Value value = eval(operand, row, group);
            if (value.equals(bool(deciding))) {
                return value;
            }
            unknown |= value instanceof Value.Null;
        }
        return unknown ? Value.NULL : bool(!deciding);
    }

    private static Value compare(Expression.ComparisonOperator operator, Value left, Value right) {
        if (left instanceof Value.Null || right instanceof Value.Null) {
            return Value.NULL;
        }
        int order = ValueOrder.compare(left, right);
        return bool(
                switch (operator) {
                    case EQUAL -> order == 0;
                    case NOT_EQUAL -> order != 0;
                    case LESS -> order < 0;
                    case LESS_OR_EQUAL -> order <= 0;
                    case GREATER -> order > 0;
                    case GREATER_OR_EQUAL -> order >= 0;
                });
    }

    private static Value text(Expression.TextOperator operator, Value left, Value right) {
        if (left instanceof Value.Null || right instanceof Value.Null) {
            return Value.NULL;
        }
        String wanted = ((Value.Text) right).value();
        if (left instanceof Value.ListOf(List<Value> items)) {
            return in(right, new Value.ListOf(items));
        }
        String text = ((Value.Text) left).value();
        return bool(
                switch (operator) {
                    case CONTAINS -> text.contains(wanted);
                    case STARTS_WITH -> text.startsWith(wanted);
                    case ENDS_WITH -> text.endsWith(wanted);
                    case MATCHES -> java.util.regex.Pattern.compile(wanted).matcher(text).find();
                });
    }

    private static Value in(Value value, Value list) {
        if (list instanceof Value.Null) {
            return Value.NULL;
        }
        boolean unknown = false;
        for (Value item : ((Value.ListOf) list).items()) {
            if (item instanceof Value.Null || value instanceof Value.Null) {
                unknown = true;
            } else if (ValueOrder.equal(item, value)) {
                return bool(true);
            }
        }
        return unknown ? Value.NULL : bool(false);
    }

    private Value aggregate(
            Expression.AggregateFunction function,
            boolean distinct,
            Expression operand,
            List<Row> rows) {
        List<Value> values = new ArrayList<>();
        Set<Value> seen = new HashSet<>();
        for (Row row : rows) {
            Value value = eval(operand, row, List.of(row));
            if (!(value instanceof Value.Null) && (!distinct || seen.add(normal(value)))) {
                values.add(value);
            }
        }
        Comparator<Value> order = ValueOrder.COMPARATOR;
        return switch (function) {
            case COUNT -> new Value.Int(values.size());
            case MIN -> values.stream().min(order).orElse(Value.NULL);
            case MAX -> values.stream().max(order).orElse(Value.NULL);
            case COLLECT -> new Value.ListOf(values.stream().sorted(order).toList());
            case SUM, AVG -> {
                if (values.isEmpty()) {
                    yield Value.NULL;
                }
                double sum = values.stream().mapToDouble(Cells::toDouble).sum();
                if (function == Expression.AggregateFunction.AVG) {
                    yield new Value.Real(sum / values.size());
                }
                yield values.getFirst() instanceof Value.Real
                        ? new Value.Real(sum)
                        : new Value.Int((long) sum);
            }
        };
    }

    /** How often each row occurs. */
    static Map<List<Value>, Integer> bag(List<List<Value>> rows) {
        Map<List<Value>, Integer> bag = new HashMap<>();
        rows.forEach(row -> bag.merge(row, 1, Integer::sum));
        return bag;
    }
}
