package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.error.ServiceException;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.testkit.HeapGraph;
import service.core.value.Direction;
import service.core.value.Value;
import service.projection.TestEngine;
import service.projection.query.plan.Constants;
import service.projection.query.plan.Ids;
import service.projection.query.plan.Node;
import service.projection.query.plan.PlanShape;
import service.projection.query.plan.PlanTree;
import service.projection.query.plan.ReadPlanner;
import service.projection.query.plan.Seek;
import service.projection.query.plan.Statistics;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/**
 * Runs random queries by many plans each, the plan chosen by statistics and those of the {@link PlanTree}, and compares
 * every result with the oracle. Each query has two sets of arguments; the cached plan runs with both.
 */
final class PlanTrials {
    static QueryExecutor.Limits wide() {
        return new QueryExecutor.Limits(
                0,
                System.nanoTime() + 3_600_000_000_000L,
                1000,
                1L << 40,
                1 << 30,
                TestEngine.budget(1L << 30, () -> false));
    }

    /** Plans of a query up to which all of them are run. */
    private final int most;

    /** Number of uses of each kind of node in the plans that were run. */
    final Map<String, Integer> kinds = new TreeMap<>();

    int queries;
    int plans;
    int refused;

    /** Number of queries whose every plan was run, and of those whose every choice was run. */
    int whole;

    int covered;
    private int failed;

    /** Rows that blocks have answered. */
    long fromBlocks;

    PlanTrials(int most) {
        this.most = most;
    }

    @Override
    public String toString() {
        return ("%d queries by %d plans: %d by all their plans, %d by all their choices,"
                        + " %d refused, %d with errors, %d rows from blocks: %s")
                .formatted(queries, plans, whole, covered, refused, failed, fromBlocks, kinds);
    }

    /** Tries one query over a view that shows the graph. */
    void compare(Random random, HeapGraph graph, GraphView view, String where) {
        compare(random, graph, List.of(view), where);
    }

    /** Tries one query over views that show the graph; the plans take turns to run over each of them. */
    void compare(Random random, HeapGraph graph, List<GraphView> views, String where) {
        GraphView view = views.getFirst();
        String source = new RandomSource(random).query();
        queries++;
        Plan.Read plan = compile(source, graph);
        if (plan == null) {
            refused++;
            return;
        }
        List<Value> first = plan.parameters().stream()
                .map(p -> p.defaultValue() == null ? Value.NULL : p.defaultValue())
                .toList();
        List<List<Value>> arguments = List.of(first, new RandomArguments(random).of(plan));
        Set<Node> tried = new HashSet<>();
        try {
            List<Expected> expected = arguments.stream()
                    .map(some -> Expected.of(graph, plan, some))
                    .toList();
            VectorExecutor kept = new VectorExecutor(1 << 20);
            for (Expected one : expected) {
                failed += one.fault == null ? 0 : 1;
                GraphView over = views.get((queries >> 1) % views.size());
                one.check(() -> rows(over, sink -> kept.read(plan, one.arguments, over, wide(), sink)), "the planner");
            }
            PlanTree tree = new PlanTree(
                    random,
                    choices -> new ReadPlanner(
                                    new Statistics(view, Constants.withNow(first, wide().nowMicros()), () -> {}),
                                    plan,
                                    choices)
                            .plan());
            boolean all = tree.walk(most, node -> {
                if (tried.add(node)) {
                    Expected one = expected.get(plans++ & 1);
                    count(node);
                    GraphView over = views.get((plans >> 1) % views.size());
                    fromBlocks -= over.reads().fromBlocks;
                    one.check(() -> run(plan, one.arguments, over, node), node);
                    fromBlocks += over.reads().fromBlocks;
                }
            });
            whole += all ? 1 : 0;
            covered += all ? 0 : 1;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(where + "\n" + source + "\n" + arguments + "\n" + e.getMessage(), e);
        }
    }

    private static Plan.Read compile(String source, HeapGraph graph) {
        try {
            return (Plan.Read) ((Request.Query)
                            GqCompiler.compile(source, null, graph.catalog).request())
                    .plan();
        } catch (ServiceException e) {
            return null;
        }
    }

    private void count(Node node) {
        kinds.merge(kind(node), 1, Integer::sum);
        PlanShape.children(node).forEach(this::count);
    }

    /** The operator with the options that the planner chose. */
    private static String kind(Node node) {
        String name = node.getClass().getSimpleName();
        return switch (node) {
            case Node.IdLookup n -> name + (n.ids() instanceof Ids.Given ? " id" : " key");
            case Node.Index n ->
                name
                        + (n.seek().bounds() == null
                                ? n.seek().equal().stream().anyMatch(Seek.Member::isList) ? " in" : " equal"
                                : n.seek().bounds().prefix() == null ? " range" : " prefix")
                        + (n.postingsMax() == 0 ? " scanned" : "");
            case Node.Lookup n -> name + (n.index() < 0 ? " id" : " index");
            case Node.EdgesAt n -> name + " " + n.direction();
            case Node.Expand n ->
                name + (n.edge() < 0 ? "" : " edge") + way(n.steps()) + (n.far().bound() ? " closing" : "");
            case Node.Hops n -> name + way(n.steps()) + (n.far().bound() ? " closing" : "");
            case Node.Paths n ->
                name + " " + n.walking().walk().mode() + (n.far().bound() ? " closing" : "");
            case Node.SemiJoin n -> n.negated() ? "AntiJoin" : name;
            case Node.HashJoin n ->
                name
                        + (n.probeKeys().stream().anyMatch(Expression.EntityOf.class::isInstance)
                                ? " entity"
                                : " value")
                        + (isDriven(n) ? " of a block" : "");
            case Node.Stage n -> name + (n.isOpen() ? " of a block" : "");
            case Node.Unnest n -> name + (isDriven(n) ? " of a block" : "");
            case Node.CrossJoin n -> name + (isDriven(n) ? " of a block" : "");
            case Node.Sort n -> n.kept() == null ? name : "TopN";
            default -> name;
        };
    }

    private static boolean isDriven(Node node) {
        return node instanceof Node.OuterRows
                || (!PlanShape.children(node).isEmpty()
                        && isDriven(PlanShape.children(node).getFirst()));
    }

    private static String way(List<Node.Step> steps) {
        boolean out = steps.stream().anyMatch(s -> s.direction() == Direction.OUT);
        boolean in = steps.stream().anyMatch(s -> s.direction() == Direction.IN);
        return out && in ? " both ways" : out ? " OUT" : in ? " IN" : " nowhere";
    }

    /** The rows of a query by the plan that the planner picks. */
    static List<List<Value>> run(Plan.Read plan, List<Value> arguments, GraphView view) {
        return rows(view, sink -> new VectorExecutor(1 << 20).read(plan, arguments, view, wide(), sink));
    }

    private static List<List<Value>> run(Plan.Read plan, List<Value> arguments, GraphView view, Node node) {
        return rows(
                view, sink -> VectorExecutor.run(node, plan, arguments, new ExecutionBudget(view, wide()), true, sink));
    }

    /** The result rows, entities as texts "id type". */
    private static List<List<Value>> rows(GraphView view, Consumer<QueryExecutor.Sink> run) {
        List<List<Value>> rows = new ArrayList<>();
        run.accept((v, columns, size, kept) -> {
            for (int row = 0; row < size; row++) {
                List<Value> values = new ArrayList<>();
                for (Column column : columns) {
                    values.add(cell(view, column, row));
                }
                rows.add(values);
            }
        });
        return rows;
    }

    private static Value cell(GraphView view, Column column, int row) {
        if (column instanceof EntityColumn entities && !column.isNull(row)) {
            int type = entities.types[row];
            return new Value.Text(view.id(type, entities.ordinals[row]) + " " + type);
        }
        return named(view, ColumnValues.value(column, row));
    }

    private static Value named(GraphView view, Value value) {
        return switch (value) {
            case Value.Entity(int type, int ordinal) -> new Value.Text(view.id(type, ordinal) + " " + type);
            case Value.ListOf(List<Value> items) ->
                new Value.ListOf(items.stream().map(item -> named(view, item)).toList());
            case Value.Path path ->
                new Value.Path(
                        (Value.ListOf) named(view, path.nodes()),
                        (Value.ListOf) named(view, path.edges()),
                        path.cost());
            case Value.Struct(List<String> names, List<Value> values) ->
                new Value.Struct(
                        names, values.stream().map(field -> named(view, field)).toList());
            default -> value;
        };
    }

    /**
     * The expected result of a query.
     *
     * @param rows the rows of the oracle
     * @param all the rows without {@code skip} and {@code limit}
     */
    private record Expected(
            Plan.Read plan, List<Value> arguments, List<List<Value>> rows, List<List<Value>> all, NaiveFault fault) {
        static Expected of(HeapGraph graph, Plan.Read plan, List<Value> arguments) {
            try {
                NaiveEvaluator oracle = new NaiveEvaluator(graph, plan, arguments);
                List<List<Value>> all = oracle.all();
                return new Expected(plan, arguments, oracle.limited(), all, null);
            } catch (NaiveFault e) {
                return new Expected(plan, arguments, List.of(), List.of(), e);
            }
        }

        void check(Supplier<List<List<Value>>> run, Object node) {
            List<List<Value>> actual;
            try {
                actual = run.get();
            } catch (ServiceException e) {
                assertThat(fault).as(() -> node + " " + e.getMessage()).isNotNull();
                return;
            }
            if (fault != null) {
                assertThat(fault.certain && plan.last().window().limit() == null)
                        .as(() -> "no error by " + node)
                        .isFalse();
            } else if (!plan.last().order().isEmpty()) {
                assertThat(NaiveEvaluator.oneKind(actual)).as(node::toString).isEqualTo(NaiveEvaluator.oneKind(rows));
            } else {
                assertThat(actual).as(node::toString).hasSameSizeAs(rows);
                Map<List<Value>, Integer> there = NaiveEvaluator.bag(all);
                NaiveEvaluator.bag(actual)
                        .forEach((row, times) -> assertThat(times)
                                .as(() -> row + " by " + node)
                                .isLessThanOrEqualTo(there.getOrDefault(row, 0)));
            }
        }
    }
}
