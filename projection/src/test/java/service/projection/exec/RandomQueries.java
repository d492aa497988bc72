package service.projection.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import service.core.error.SourceText;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Pattern.Block;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;
import service.core.value.Direction;
import service.core.value.EntityKind;
import service.core.value.PropertyType;
import service.core.value.Value;

/** Random graphs and random bound queries over the schema of {@link HeapGraph}. */
final class RandomQueries {
    private static final List<Integer> PERSON = List.of(HeapGraph.PERSON);
    private static final List<Integer> COMPANY = List.of(HeapGraph.COMPANY);
    private static final List<Integer> BOTH = List.of(HeapGraph.PERSON, HeapGraph.COMPANY);
    private static final Expression.Origin ORIGIN =
            new Expression.Origin("x", new SourceText("x"), 0);
    private static final String[] WORDS = {"ann", "anna", "bo", "bob", "é", "𝄞x", ""};

    private final Random random;
    private final List<Variable> variables = new ArrayList<>();

    RandomQueries(Random random) {
        this.random = random;
    }

    private int below(int n) {
        return random.nextInt(n);
    }

    private boolean chance(double p) {
        return random.nextDouble() < p;
    }

    private <T> T pick(List<T> items) {
        return items.get(below(items.size()));
    }

    HeapGraph graph() {
        HeapGraph graph = new HeapGraph();
        int persons = below(8);
        for (int i = 0; i < persons; i++) {
            HeapGraph.Entity person = graph.add(HeapGraph.PERSON, "p" + (i * 7 % 11));
            put(person, HeapGraph.NAME, new Value.Text(WORDS[below(WORDS.length)]));
            put(person, HeapGraph.AGE, new Value.Int(below(4) - 1));
            put(person, HeapGraph.SCORE, new Value.Real(below(5) * 0.5 - 0.5));
            put(person, HeapGraph.CITY, new Value.Text(pick(List.of("oslo", "rome", "bonn"))));
            put(person, HeapGraph.ACTIVE, new Value.Bool(chance(0.5)));
            put(person, HeapGraph.BORN, new Value.Date(below(3) - 1));
            put(person, HeapGraph.BIG, new Value.UInt(chance(0.3) ? -1L - below(2) : below(3)));
            put(person, HeapGraph.TAGS, new Value.ListOf(List.of(new Value.Text(WORDS[below(3)]))));
            person.live = chance(0.9);
        }
        int companies = below(4);
        for (int i = 0; i < companies; i++) {
            HeapGraph.Entity company = graph.add(HeapGraph.COMPANY, WORDS[i]);
            company.properties.put(HeapGraph.TITLE, new Value.Text(WORDS[i]));
            put(company, HeapGraph.SIZE, new Value.Int(below(3)));
        }
        edges(graph, HeapGraph.KNOWS, HeapGraph.PERSON, HeapGraph.SINCE, below(14));
        edges(graph, HeapGraph.LIKES, HeapGraph.PERSON, 0, below(6));
        edges(graph, HeapGraph.WORKS_AT, HeapGraph.COMPANY, HeapGraph.ROLE, below(7));
        return graph;
    }

    private void put(HeapGraph.Entity entity, int property, Value value) {
        if (chance(0.8)) {
            entity.properties.put(property, value);
        }
    }

    private void edges(HeapGraph graph, int type, int to, int property, int count) {
        List<HeapGraph.Entity> sources = graph.live(HeapGraph.PERSON);
        List<HeapGraph.Entity> targets = graph.live(to);
        for (int i = 0; i < count && !sources.isEmpty() && !targets.isEmpty(); i++) {
            HeapGraph.Entity edge =
                    graph.addEdge(type, "e" + type + "-" + i, pick(sources), pick(targets));
            if (property == HeapGraph.SINCE) {
                put(edge, property, new Value.Int(below(3)));
            } else if (property == HeapGraph.ROLE) {
                put(edge, property, new Value.Text(WORDS[below(3)]));
            }
            edge.live = chance(0.9);
        }
    }

    Plan.Read query() {
        variables.clear();
        List<Integer> visible = new ArrayList<>();
        Pattern match = pattern(visible, 1 + below(3), 0);
        boolean grouped = chance(0.35);
        boolean distinct = chance(0.15);
        List<Plan.Output> outputs = new ArrayList<>();
        int columns = 1 + below(3);
        for (int i = 0; i < columns; i++) {
            Expression expression =
                    grouped && (i == 0 || chance(0.5)) ? aggregate(visible) : value(visible);
            outputs.add(new Plan.Output("c" + i, expression));
        }
        List<Plan.SortKey> order = new ArrayList<>();
        for (int i = below(3); i > 0; i--) {
            int column = below(columns);
            boolean free = !grouped && !distinct && chance(0.5);
            Expression key =
                    free
                            ? value(visible)
                            : new Expression.OutputOf(
                                    column, outputs.get(column).expression().type());
            order.add(new Plan.SortKey(key, chance(0.5)));
        }
        Expression skip = chance(0.2) ? integer(below(4)) : null;
        Expression limit = chance(0.3) ? integer(below(6)) : null;
        return new Plan.Read(
                "q",
                List.of(),
                List.of(),
                List.copyOf(variables),
                match,
                outputs,
                distinct,
                grouped,
                order,
                skip,
                limit);
    }

    private static Expression integer(long n) {
        return new Expression.Literal(new Value.Int(n), PropertyType.I64);
    }

    private int variable(EntityKind kind, List<Integer> types) {
        int slot = variables.size();
        variables.add(new Variable(slot, "v" + slot, kind, types));
        return slot;
    }

    private List<Integer> types(int slot) {
        return variables.get(slot).types();
    }

    /**
     * @param visible node and edge slots in sight; grows by those that stay visible
     */
    private Pattern pattern(List<Integer> visible, int nodes, int depth) {
        List<Integer> bound = new ArrayList<>();
        List<Traversal> traversals = new ArrayList<>();
        List<Integer> inside = new ArrayList<>(visible);
        List<Integer> plain = new ArrayList<>();
        visible.stream().filter(this::isNode).forEach(plain::add);
        for (int i = 0; i < nodes; i++) {
            if (!plain.isEmpty() && chance(0.85)) {
                int near = pick(plain);
                if (types(near).equals(PERSON)) {
                    connect(near, bound, traversals, inside, plain);
                    continue;
                }
            }
            List<Integer> types = chance(0.7) ? PERSON : chance(0.5) ? COMPANY : BOTH;
            int slot = variable(EntityKind.NODE, types);
            bound.add(slot);
            inside.add(slot);
            plain.add(slot);
        }
        List<Integer> persons = plain.stream().filter(s -> types(s).equals(PERSON)).toList();
        if (!persons.isEmpty() && chance(0.25)) {
            traversals.add(traversal(pick(persons), pick(persons), inside));
        }
        List<Expression> filters = new ArrayList<>();
        List<Block> blocks = new ArrayList<>();
        while (depth < 2 && chance(0.2)) {
            blocks.add(new Block.Optional(pattern(inside, 1, 2)));
        }
        for (int i = below(3); i > 0; i--) {
            filters.add(filter(inside, 0));
        }
        while (depth < 2 && chance(0.25)) {
            blocks.add(block(inside, depth + 1));
        }
        visible.clear();
        visible.addAll(inside);
        return new Pattern(bound, traversals, filters, blocks);
    }

    private boolean isNode(int slot) {
        return variables.get(slot).kind() == EntityKind.NODE;
    }

    private Block block(List<Integer> visible, int depth) {
        List<Integer> inside = new ArrayList<>(visible);
        Pattern pattern = pattern(inside, below(2) + (visible.isEmpty() ? 1 : 0), depth);
        if (chance(0.6)) {
            return new Block.Exists(pattern, chance(0.5));
        }
        if (chance(0.5)) {
            return new Block.Measure(
                    pattern, AggregateFunction.COUNT, null, operator(), integer(below(3)));
        }
        Expression operand = property(inside, "age");
        AggregateFunction function =
                pick(List.of(AggregateFunction.SUM, AggregateFunction.MIN, AggregateFunction.MAX));
        return new Block.Measure(pattern, function, operand, operator(), integer(below(3)));
    }

    private void connect(
            int near,
            List<Integer> bound,
            List<Traversal> traversals,
            List<Integer> inside,
            List<Integer> plain) {
        if (chance(0.15)) {
            wildcard(near, bound, traversals, inside);
            return;
        }
        boolean company = chance(0.25);
        int far = variable(EntityKind.NODE, company ? COMPANY : PERSON);
        bound.add(far);
        inside.add(far);
        plain.add(far);
        if (company) {
            int edge = -1;
            if (chance(0.3)) {
                edge = variable(EntityKind.EDGE, List.of(HeapGraph.WORKS_AT));
                inside.add(edge);
            }
            traversals.add(
                    new Traversal(
                            near, far, edge, List.of(HeapGraph.WORKS_AT), false, 1, 1, false));
        } else if (chance(0.5)) {
            traversals.add(traversal(near, far, inside));
        } else {
            traversals.add(traversal(far, near, inside));
        }
    }

    /**
     * Several edge types that lead to different node types, as a wildcard or an interface gives.
     */
    private void wildcard(
            int near, List<Integer> bound, List<Traversal> traversals, List<Integer> inside) {
        int far = variable(EntityKind.NODE, BOTH);
        bound.add(far);
        inside.add(far);
        List<Integer> types = List.of(HeapGraph.KNOWS, HeapGraph.LIKES, HeapGraph.WORKS_AT);
        boolean hops = chance(0.4);
        int edge = -1;
        if (!hops && chance(0.4)) {
            edge = variable(EntityKind.EDGE, types);
            inside.add(edge);
        }
        traversals.add(
                new Traversal(near, far, edge, types, false, 1, hops ? 1 + below(3) : 1, hops));
    }

    private Traversal traversal(int from, int to, List<Integer> inside) {
        List<Integer> types =
                pick(
                        List.of(
                                List.of(HeapGraph.KNOWS),
                                List.of(HeapGraph.KNOWS),
                                List.of(HeapGraph.LIKES),
                                List.of(HeapGraph.KNOWS, HeapGraph.LIKES)));
        boolean undirected = chance(0.25);
        if (chance(0.25)) {
            int min = 1 + below(2);
            return new Traversal(from, to, -1, types, undirected, min, min + below(3), true);
        }
        int edge = -1;
        if (chance(0.3)) {
            edge = variable(EntityKind.EDGE, types);
            inside.add(edge);
        }
        return new Traversal(from, to, edge, types, undirected, 1, 1, false);
    }

    private Expression filter(List<Integer> visible, int depth) {
        if (depth < 2 && chance(0.3)) {
            List<Expression> operands =
                    List.of(filter(visible, depth + 1), filter(visible, depth + 1));
            return switch (below(3)) {
                case 0 -> new Expression.And(operands);
                case 1 -> new Expression.Or(operands);
                default -> new Expression.Not(operands.getFirst());
            };
        }
        return switch (below(12)) {
            case 10 -> new Expression.Literal(Value.NULL, PropertyType.BOOL);
            case 11 -> compared(property(visible, "age"), new Expression.Literal(Value.NULL, null));
            case 0 -> compared(property(visible, "name"), text(WORDS[below(WORDS.length)]));
            case 1 ->
                    compared(
                            property(visible, "city"), text(pick(List.of("oslo", "rome", "bonn"))));
            case 2 -> compared(property(visible, "age"), number());
            case 3 -> compared(property(visible, "score"), number());
            case 4 -> compared(property(visible, "big"), number());
            case 5 ->
                    compared(
                            property(visible, "age"),
                            property(visible, pick(List.of("score", "big", "age"))));
            case 6 -> new Expression.IsNull(property(visible, "name"), chance(0.5));
            case 7 ->
                    new Expression.TextTest(
                            pick(List.of(Expression.TextOperator.values())),
                            property(visible, "name"),
                            text(WORDS[below(5)]));
            case 8 ->
                    new Expression.In(
                            property(visible, "age"),
                            new Expression.Literal(
                                    new Value.ListOf(
                                            chance(0.2)
                                                    ? List.of()
                                                    : List.of(
                                                            new Value.Int(below(3)),
                                                            chance(0.2)
                                                                    ? Value.NULL
                                                                    : new Value.Int(1))),
                                    null));
            default ->
                    compared(
                            new Expression.IdOf(pick(visible)),
                            text(chance(0.5) ? "p" + below(9) : "ann"));
        };
    }

    private Expression compared(Expression left, Expression right) {
        ComparisonOperator operator = chance(0.6) ? ComparisonOperator.EQUAL : operator();
        return chance(0.8)
                ? new Expression.Compare(operator, left, right)
                : new Expression.Compare(operator, right, left);
    }

    private ComparisonOperator operator() {
        return pick(List.of(ComparisonOperator.values()));
    }

    private static Expression text(String text) {
        return new Expression.Literal(new Value.Text(text), PropertyType.STRING);
    }

    private Expression number() {
        Value value =
                switch (below(5)) {
                    case 0 -> new Value.Real(below(4) * 0.5 - 0.5);
                    case 1 -> new Value.UInt(-1L - below(2));
                    case 2 -> new Value.Real(1.8446744073709552E19);
                    default -> new Value.Int(below(4) - 1);
                };
        return new Expression.Literal(value, PropertyType.I64);
    }

    private Expression property(List<Integer> visible, String name) {
        return switch (name) {
            case "name" ->
                    new Expression.PropertyOf(
                            pick(visible),
                            name,
                            Map.of(
                                    HeapGraph.PERSON,
                                    HeapGraph.NAME,
                                    HeapGraph.COMPANY,
                                    HeapGraph.TITLE),
                            PropertyType.STRING);
            case "age" ->
                    new Expression.PropertyOf(
                            pick(visible),
                            name,
                            Map.of(
                                    HeapGraph.PERSON,
                                    HeapGraph.AGE,
                                    HeapGraph.COMPANY,
                                    HeapGraph.SIZE,
                                    HeapGraph.KNOWS,
                                    HeapGraph.SINCE),
                            PropertyType.I64);
            case "score" -> person(visible, name, HeapGraph.SCORE, PropertyType.F64);
            case "city" -> person(visible, name, HeapGraph.CITY, HeapGraph.CITY_TYPE);
            case "active" -> person(visible, name, HeapGraph.ACTIVE, PropertyType.BOOL);
            case "born" -> person(visible, name, HeapGraph.BORN, PropertyType.DATE);
            case "big" -> person(visible, name, HeapGraph.BIG, HeapGraph.U64);
            default -> person(visible, name, HeapGraph.TAGS, HeapGraph.TAGS_TYPE);
        };
    }

    private Expression person(List<Integer> visible, String name, int property, PropertyType type) {
        return new Expression.PropertyOf(
                pick(visible), name, Map.of(HeapGraph.PERSON, property), type);
    }

    private Expression value(List<Integer> visible) {
        return switch (below(12)) {
            case 0, 1 -> new Expression.EntityOf(pick(visible));
            case 2 -> new Expression.IdOf(pick(visible));
            case 3 -> new Expression.TypeOf(pick(visible));
            case 4 -> {
                List<Integer> edges = visible.stream().filter(s -> !isNode(s)).toList();
                yield edges.isEmpty()
                        ? property(visible, "tags")
                        : new Expression.EndOf(
                                pick(edges), chance(0.5) ? Direction.OUT : Direction.IN);
            }
            case 5 ->
                    new Expression.Arithmetic(
                            Expression.ArithmeticOperator.ADD,
                            property(visible, "age"),
                            property(visible, "age"),
                            PropertyType.I64,
                            ORIGIN);
            case 6 ->
                    new Expression.Call(
                            Expression.Function.COALESCE,
                            List.of(property(visible, "name"), text("none")),
                            PropertyType.STRING,
                            ORIGIN);
            default ->
                    property(
                            visible,
                            pick(List.of("name", "age", "score", "city", "active", "born", "big")));
        };
    }

    private Expression aggregate(List<Integer> visible) {
        AggregateFunction function = pick(List.of(AggregateFunction.values()));
        boolean distinct = chance(0.3);
        Expression operand =
                switch (function) {
                    case COUNT -> value(visible);
                    case SUM, AVG -> property(visible, pick(List.of("age", "score")));
                    case MIN, MAX, COLLECT ->
                            property(
                                    visible,
                                    pick(List.of("name", "age", "score", "born", "big", "active")));
                };
        PropertyType type =
                switch (function) {
                    case COUNT -> PropertyType.I64;
                    case SUM, MIN, MAX -> operand.type();
                    case AVG -> PropertyType.F64;
                    case COLLECT -> HeapGraph.TAGS_TYPE;
                };
        return new Expression.Aggregate(function, distinct, operand, type, ORIGIN);
    }
}
