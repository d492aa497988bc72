package service.projection.query;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Pattern.Block;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Walk;
import service.core.testkit.HeapGraph;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.projection.query.plan.Expressions;
import service.projection.query.plan.PatternSlots;

/**
 * The oracle: nested loops over all entities for every variable, then the conditions. Shares no code with the
 * operators. Entities in results are texts "id type".
 */
final class NaiveEvaluator {
    /** A row: the entity of each bound slot, null where an optional block had no match, and the values of stages. */
    static final class Row extends TreeMap<Integer, HeapGraph.Entity> {
        final Map<Integer, Value> values = new TreeMap<>();

        Row() {}

        Row(Row other) {
            super(other);
            values.putAll(other.values);
        }

        boolean holds(int slot) {
            return containsKey(slot) || values.containsKey(slot);
        }
    }

    private final HeapGraph graph;
    private final Plan.Read plan;
    private final NaiveExpressions expressions;

    NaiveEvaluator(HeapGraph graph, Plan.Read plan, List<Value> arguments) {
        this.graph = graph;
        this.plan = plan;
        this.expressions = new NaiveExpressions(graph, arguments);
    }

    private Value eval(Expression expression, Row row, List<Row> group) {
        return expressions.eval(expression, row, group);
    }

    /** The result without the window of the last stage. */
    List<List<Value>> all() {
        List<Row> begin = plan.union() == null ? List.of(new Row()) : united(plan.union());
        run(plan.stages(), begin);
        return results.stream().map(r -> r.values).toList();
    }

    private void run(List<Plan.Stage> stages, List<Row> begin) {
        List<Row> rows = begin;
        for (int i = 0; i < stages.size(); i++) {
            stage = stages.get(i);
            isLast = i == stages.size() - 1;
            expressions.begin(stage);
            rows = isLast ? answered(rows) : left(rows);
        }
    }

    /** The rows of the parts of a union, in the slots of the whole. */
    private List<Row> united(Plan.Union union) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < union.parts().size(); i++) {
            Plan.Part part = union.parts().get(i);
            run(part.stages(), List.of(new Row()));
            for (Result result : windowed(results)) {
                Row own = new Row();
                leave(result, own);
                Row whole = new Row();
                for (int column = 0; column < union.slots().size(); column++) {
                    int slot = union.slots().get(column);
                    switch (part.columns().get(column)) {
                        case Expression.EntityOf entity -> whole.put(slot, own.get(entity.slot()));
                        case Expression value -> whole.values.put(slot, eval(value, own, List.of(own)));
                    }
                }
                rows.add(whole);
            }
            if (i + 1 == union.distinct()) {
                Map<Object, Row> once = new LinkedHashMap<>();
                for (Row row : rows) {
                    List<Object> key = new ArrayList<>();
                    union.slots()
                            .forEach(slot -> key.add(
                                    row.containsKey(slot)
                                            ? row.get(slot)
                                            : NaiveExpressions.normal(row.values.get(slot))));
                    once.putIfAbsent(key, row);
                }
                rows = new ArrayList<>(once.values());
            }
        }
        return rows;
    }

    /** Puts what a stage has made into the slots of its outputs. */
    private void leave(Result made, Row row) {
        for (int i = 0; i < made.values.size(); i++) {
            Plan.Output output = stage.result().outputs().get(i);
            if (output.expression() instanceof Expression.EntityOf entity) {
                row.put(output.slot(), made.row.get(entity.slot()));
            } else {
                row.values.put(output.slot(), made.values.get(i));
            }
        }
    }

    private Plan.Stage stage;
    private boolean isLast;

    /** The rows that the current stage makes, without its window. */
    private List<Result> results = List.of();

    /** Makes the results of the last stage. */
    private List<Row> answered(List<Row> before) {
        results = made(before);
        results.removeIf(r -> !stage.where().stream().allMatch(w -> NaiveExpressions.isTrue(eval(w, r.row, r.group))));
        if (!stage.order().isEmpty()) {
            results.sort(this::order);
        }
        return List.of();
    }

    /** The rows that a stage leaves to the next one. */
    private List<Row> left(List<Row> before) {
        List<Result> kept = new ArrayList<>();
        for (Result made : made(before)) {
            for (Row row : bound(made)) {
                List<Row> alone = List.of(row);
                if (stage.where().stream().allMatch(w -> NaiveExpressions.isTrue(eval(w, row, alone)))) {
                    kept.add(new Result(made.values, keys(row, alone), row, alone));
                }
            }
        }
        if (!stage.order().isEmpty()) {
            kept.sort(this::order);
        }
        return windowed(kept).stream().map(Result::row).toList();
    }

    /** The rows with the variables of a {@code with}: one, but for lists whose items are taken in turn. */
    private List<Row> bound(Result made) {
        List<Row> rows = List.of(new Row());
        for (int i = 0; i < made.values.size(); i++) {
            Plan.Output output = stage.result().outputs().get(i);
            Value value = made.values.get(i);
            List<Row> more = new ArrayList<>();
            rows.forEach(row -> bind(output, value, made.row, row, more));
            rows = more;
        }
        return rows;
    }

    /** Adds the row with the value of an output that is taken of another row; one for each item where it says so. */
    private void bind(Plan.Output output, Value value, Row of, Row row, List<Row> into) {
        List<Value> each = !output.isEach()
                ? List.of(value)
                : value instanceof Value.ListOf(List<Value> items) ? items : List.of();
        for (Value item : each) {
            Row next = new Row(row);
            if (plan.variables().get(output.slot()).kind() == null) {
                next.values.put(output.slot(), item);
            } else {
                next.put(
                        output.slot(),
                        output.expression() instanceof Expression.EntityOf entity
                                ? of.get(entity.slot())
                                : expressions.entity(item));
            }
            into.add(next);
        }
    }

    /** The rows of the list of the current stage, before any condition on them. */
    private List<Result> made(List<Row> before) {
        List<Row> rows = new ArrayList<>();
        before.forEach(row -> rows.addAll(matches(stage.match(), row)));
        List<Result> made = new ArrayList<>();
        if (stage.result().grouped()) {
            group(rows, made);
        } else {
            for (Row row : rows) {
                made.add(result(List.of(row), row));
            }
        }
        if (stage.result().distinct()) {
            Map<Value, Result> first = new LinkedHashMap<>();
            made.forEach(r -> first.putIfAbsent(NaiveExpressions.normal(new Value.ListOf(r.values)), r));
            return new ArrayList<>(first.values());
        }
        return made;
    }

    /** The rows of the answer within the window of the last stage. */
    List<List<Value>> limited() {
        return windowed(results).stream().map(Result::values).toList();
    }

    private List<Result> windowed(List<Result> all) {
        int skip = number(stage.window().skip(), 0);
        int limit = number(stage.window().limit(), Integer.MAX_VALUE);
        Map<Value, Integer> seen = new HashMap<>();
        List<Result> kept = new ArrayList<>();
        for (Result result : all) {
            List<Value> group = new ArrayList<>();
            stage.window().per().forEach(e -> group.add(eval(e, result.row, result.group)));
            int before = seen.merge(NaiveExpressions.normal(new Value.ListOf(group)), 1, Integer::sum) - 1;
            if (before >= skip && before < (long) skip + limit) {
                kept.add(result);
            }
        }
        return kept;
    }

    private record Result(List<Value> values, List<Value> keys, Row row, List<Row> group) {}

    private int number(Expression expression, int absent) {
        return expression == null ? absent : (int) ((Value.Int) eval(expression, new Row(), List.of())).value();
    }

    private int order(Result left, Result right) {
        for (int i = 0; i < stage.order().size(); i++) {
            int order = ValueOrder.compare(left.keys.get(i), right.keys.get(i));
            if (order != 0) {
                return stage.order().get(i).descending() ? -order : order;
            }
        }
        if (isLast && (stage.result().grouped() || stage.result().distinct())) {
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
        return ValueOrder.compare(new Value.ListOf(left.values), new Value.ListOf(right.values));
    }

    private void group(List<Row> rows, List<Result> results) {
        Map<Value, List<Row>> groups = new LinkedHashMap<>();
        boolean keyed = false;
        for (Plan.Output output : stage.result().outputs()) {
            keyed |= !Expressions.hasAggregate(output.expression());
        }
        if (!keyed) {
            groups.put(Value.NULL, new ArrayList<>());
        }
        for (Row row : rows) {
            List<Value> key = new ArrayList<>();
            for (Plan.Output output : stage.result().outputs()) {
                if (!Expressions.hasAggregate(output.expression())) {
                    key.add(eval(output.expression(), row, List.of(row)));
                }
            }
            Value whole = keyed ? NaiveExpressions.normal(new Value.ListOf(key)) : Value.NULL;
            groups.computeIfAbsent(whole, k -> new ArrayList<>()).add(row);
        }
        for (List<Row> group : groups.values()) {
            results.add(result(group, group.isEmpty() ? new Row() : group.getFirst()));
        }
    }

    private Result result(List<Row> group, Row row) {
        List<Value> values = new ArrayList<>();
        stage.result().outputs().forEach(o -> values.add(eval(o.expression(), row, group)));
        return new Result(values, isLast ? keys(row, group) : List.of(), row, group);
    }

    private List<Value> keys(Row row, List<Row> group) {
        List<Value> keys = new ArrayList<>();
        stage.order().forEach(k -> keys.add(eval(k.expression(), row, group)));
        return keys;
    }

    private List<Row> matches(Pattern pattern, Row outer) {
        Block.Given given = pattern.given();
        List<Row> rows = given == null ? List.of(outer) : given(given, outer);
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
            rows = block instanceof Block.Given ? rows : apply(block, rows);
        }
        return rows.stream().filter(row -> passes(conjuncts, row, true)).toList();
    }

    /** The rows that the rest of a divided block extends. */
    private List<Row> given(Block.Given given, Row outer) {
        List<Row> rows = block(given.pattern(), outer);
        Plan.Output output = given.output();
        if (output == null) {
            return rows;
        }
        List<Row> more = new ArrayList<>();
        rows.forEach(row -> bind(output, eval(output.expression(), row, List.of(row)), row, row, more));
        return more;
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
            boolean bound = Expressions.slots(conjunct).stream().allMatch(row::holds);
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
            // A later stage or condition may drop the row, or ask for fewer.
            throw new NaiveFault(depth == 0
                    && plan.allStages().size() == 1
                    && plan.last().where().isEmpty());
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
                        PatternSlots.boundBy(block.pattern()).forEach(s -> setNull(nulls, s));
                        result.add(nulls);
                    }
                    result.addAll(inner);
                }
                case Block.Exists exists -> {
                    if (inner.isEmpty() == exists.negated()) {
                        result.add(row);
                    }
                }
                case Block.Given ignored -> throw new IllegalStateException("it comes first");
                case Block.Value value -> {
                    Row with = new Row(row);
                    with.values.put(
                            value.slot(),
                            value.aggregate() == null
                                    ? new Value.Bool(!inner.isEmpty())
                                    : eval(value.aggregate(), row, inner));
                    result.add(with);
                }
            }
        }
        return result;
    }

    private void setNull(Row row, int slot) {
        if (plan.variables().get(slot).kind() == null) {
            row.values.put(slot, Value.NULL);
        } else {
            row.put(slot, null);
        }
    }

    private void traverse(Traversal t, Row row, List<Row> into) {
        HeapGraph.Entity from = row.get(t.from());
        HeapGraph.Entity to = row.get(t.to());
        if (from == null || to == null) {
            return;
        }
        if (t.walk() != null && isPath(t.walk())) {
            NaivePaths paths = new NaivePaths(graph, t, row, (e, step) -> eval(e, step, List.of(step)), this::block);
            paths.between(from, to).forEach(path -> into.add(withPath(row, path, t.walk())));
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

    private static boolean isPath(Walk walk) {
        return walk.mode() != Walk.Mode.SHORTEST
                || walk.rule() != null
                || !walk.slots().asked().isEmpty();
    }

    private static Row withPath(Row row, NaivePaths.Path path, Walk walk) {
        Walk.Slots slots = walk.slots();
        Row next = new Row(row);
        if (slots.length() >= 0) {
            next.values.put(slots.path(), path.value(walk.isCosted()));
            next.values.put(slots.length(), new Value.Int(path.edges().size()));
            next.values.put(slots.cost(), new Value.Real(path.cost()));
        }
        return next;
    }

    private boolean joins(HeapGraph.Entity edge, HeapGraph.Entity from, HeapGraph.Entity to) {
        return edge.source == from.ordinal
                && edge.sourceType == from.type
                && edge.destination == to.ordinal
                && edge.destinationType == to.type;
    }

    /** The distance that a range of hops sees, −1 for none: that of a node to itself is 0 or its shortest cycle. */
    private int distance(Traversal t, HeapGraph.Entity from, HeapGraph.Entity to) {
        if (from != to) {
            return distance(t, from, to, null);
        }
        if (t.minHops() == 0) {
            return 0;
        }
        int least = -1;
        for (Step first : steps(t, from, null)) {
            // The way back may not use the edge that begins the cycle.
            int back = distance(t, first.to, from, first.edge);
            least = back >= 0 && (least < 0 || back + 1 < least) ? back + 1 : least;
        }
        return least;
    }

    private int distance(Traversal t, HeapGraph.Entity from, HeapGraph.Entity to, HeapGraph.Entity without) {
        Map<HeapGraph.Entity, Integer> distances = new HashMap<>(Map.of(from, 0));
        for (boolean grew = true; grew; ) {
            grew = false;
            for (HeapGraph.Entity near : List.copyOf(distances.keySet())) {
                for (Step step : steps(t, near, without)) {
                    int distance = distances.get(near) + 1;
                    if (distance < distances.getOrDefault(step.to, Integer.MAX_VALUE)) {
                        distances.put(step.to, distance);
                        grew = true;
                    }
                }
            }
        }
        return distances.getOrDefault(to, -1);
    }

    private record Step(HeapGraph.Entity edge, HeapGraph.Entity to) {}

    private List<Step> steps(Traversal t, HeapGraph.Entity near, HeapGraph.Entity without) {
        List<Step> found = new ArrayList<>();
        for (int identity : t.edgeTypes()) {
            for (HeapGraph.Entity edge : graph.live(identity)) {
                if (edge != without && edge.sourceType == near.type && edge.source == near.ordinal) {
                    found.add(new Step(edge, graph.all(edge.destinationType).get(edge.destination)));
                }
                boolean back = t.undirected() && edge.destinationType == near.type;
                if (edge != without && back && edge.destination == near.ordinal) {
                    found.add(new Step(edge, graph.all(edge.sourceType).get(edge.source)));
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
     * Rows with each number in one kind. Which of a signed and an unsigned number of one value comes first in a
     * collected list, or of two equal rows, depends on the plan; in answers both are the same text.
     */
    static List<List<Value>> oneKind(List<List<Value>> rows) {
        return rows.stream()
                .map(row -> row.stream()
                        .map(value -> value instanceof Value.ListOf list
                                ? new Value.ListOf(list.items().stream()
                                        .map(NaiveEvaluator::signed)
                                        .toList())
                                : signed(value))
                        .toList())
                .toList();
    }

    private static Value signed(Value value) {
        return value instanceof Value.UInt number && number.bits() >= 0 ? new Value.Int(number.bits()) : value;
    }
}
