package service.projection.query;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.MutationOutline;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;
import service.core.port.CacheGauges;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.port.SearchGauges;
import service.core.port.TextIndex;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.projection.query.operator.Meter;
import service.projection.query.operator.NeighborSource;
import service.projection.query.operator.Operator;
import service.projection.query.operator.OutputOperators;
import service.projection.query.operator.Source;
import service.projection.query.operator.Spending;
import service.projection.query.operator.TextSources;
import service.projection.query.plan.Choices;
import service.projection.query.plan.Constants;
import service.projection.query.plan.Expressions;
import service.projection.query.plan.GivenPlan;
import service.projection.query.plan.Node;
import service.projection.query.plan.PatternPlanner;
import service.projection.query.plan.PlanShape;
import service.projection.query.plan.ReadPlanner;
import service.projection.query.plan.Statistics;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.IntSort;
import service.projection.query.vector.Ordinals;

/**
 * Executes reads. It plans a read or takes the cached plan, lowers the plan with the arguments into a pipeline of
 * operators that push batches of columns, and drives the pipeline. Any thread.
 *
 * <p>A cancelled read ends with {@link java.util.concurrent.CancellationException}.
 */
public final class VectorExecutor implements QueryExecutor {
    private static final int OUTLINE_MILLIS = 1_000;

    private final PreparedPlans prepared;
    private final SearchCounts searches = new SearchCounts();

    /**
     * Makes an executor without cached plans.
     *
     * @param planBytesMax the heap bytes that cached plans may hold; the caller reserves them
     */
    public VectorExecutor(long planBytesMax) {
        this(new PreparedPlans(planBytesMax));
    }

    VectorExecutor(PreparedPlans prepared) {
        this.prepared = prepared;
    }

    /** The state of the cache of physical plans. */
    public CacheGauges plans() {
        return prepared.gauges();
    }

    @Override
    public void read(Plan.Read plan, List<Value> arguments, GraphView view, Limits limits, Sink sink) {
        long beganNanos = System.nanoTime();
        try (ExecutionBudget budget = new ExecutionBudget(view, limits)) {
            try {
                run(node(plan, arguments, budget), plan, arguments, budget, false, sink);
            } finally {
                count(budget, beganNanos);
            }
        }
    }

    private void count(ExecutionBudget budget, long beganNanos) {
        if (!budget.searched().isEmpty()) {
            searches.ran(budget.searched(), budget.isApproximate(), System.nanoTime() - beganNanos, budget.direct());
        }
    }

    /** What searches did since the start. */
    public SearchGauges.Totals searches() {
        return searches.gauges();
    }

    @Override
    public void read(Plan.Read plan, GivenRows given, List<Value> arguments, GraphView view, Limits limits, Sink sink) {
        long beganNanos = System.nanoTime();
        try (ExecutionBudget budget = new ExecutionBudget(view, limits)) {
            Plan.Read over = GivenPlan.of(plan, given);
            Statistics statistics =
                    new Statistics(view, Constants.withNow(arguments, limits.nowMicros()), budget::check);
            Node root = new ReadPlanner(statistics, over, Choices.CHEAPEST).plan(new Node.Given(given, given.size()));
            try {
                run(root, over, arguments, budget, false, sink);
            } finally {
                count(budget, beganNanos);
            }
        }
    }

    private Node node(Plan.Read plan, List<Value> arguments, ExecutionBudget budget) {
        return prepared.plan(
                plan,
                budget.view,
                Constants.withNow(arguments, budget.limits.nowMicros()),
                budget::check,
                statistics -> new ReadPlanner(statistics, plan, Choices.CHEAPEST).plan());
    }

    /**
     * Runs a read by the given plan.
     *
     * @param measured put a {@link Meter}, which asserts the contract of operators, after every operator
     */
    static void run(
            Node root, Plan.Read plan, List<Value> arguments, ExecutionBudget budget, boolean measured, Sink sink) {
        lowering(budget, plan, arguments, measured)
                .lower(root, toSink(budget, plan, sink), new BitSet())
                .drive();
        if (budget.isApproximate()) {
            sink.approximate();
        }
    }

    private static Lowering lowering(ExecutionBudget budget, Plan.Read plan, List<Value> arguments, boolean measured) {
        return new Lowering(
                budget,
                arguments,
                plan.variables(),
                ReadPlanner.nullable(plan),
                ReadPlanner.stopsEarly(plan),
                measured);
    }

    private static Operator toSink(ExecutionBudget budget, Plan.Read plan, Sink sink) {
        return new OutputOperators.ToSink(budget, plan.result().outputs().size(), sink);
    }

    @Override
    public List<ExplainRow> explain(Plan plan, List<Value> arguments, GraphView view, Limits limits, boolean analyze) {
        List<ExplainRow> rows = new ArrayList<>();
        switch (plan) {
            case Plan.Read read -> explain(read, arguments, view, limits, analyze, 0, rows);
            case Plan.Mutation mutation -> {
                if (mutation.rows() != null) {
                    explain(mutation.rows(), arguments, view, limits, analyze, 1, rows);
                }
                double estimated = rows.isEmpty() ? 1 : rows.getFirst().estimatedRows();
                long actual = rows.isEmpty() ? -1 : rows.getFirst().actualRows();
                String detail = String.join("; ", MutationOutline.of(mutation, view.catalog()));
                rows.addFirst(new ExplainRow(0, "WriteRows", detail, estimated, actual, -1));
            }
        }
        return rows;
    }

    private void explain(
            Plan.Read plan,
            List<Value> arguments,
            GraphView view,
            Limits limits,
            boolean analyze,
            int depth,
            List<ExplainRow> into) {
        try (ExecutionBudget budget = new ExecutionBudget(view, limits)) {
            Node root = node(plan, arguments, budget);
            Lowering lowering = null;
            if (analyze) {
                lowering = lowering(budget, plan, arguments, true);
                Source source =
                        lowering.lower(root, toSink(budget, plan, (v, columns, size, kept) -> {}), new BitSet());
                source.drive();
            }
            describe(
                    root,
                    depth,
                    new Describe(view.catalog(), plan.variables(), arguments, searches(budget)),
                    lowering,
                    into);
        }
    }

    @Override
    public List<String> outline(Plan.Read plan, List<Value> arguments, GraphView view, Limits limits) {
        Limits brief = new Limits(
                limits.nowMicros(),
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(OUTLINE_MILLIS),
                OUTLINE_MILLIS,
                limits.work(),
                limits.rows(),
                limits.budget().onWriter(),
                limits.search());
        List<ExplainRow> rows = new ArrayList<>();
        try (ExecutionBudget budget = new ExecutionBudget(view, brief)) {
            Node root = node(plan, arguments, budget);
            Describe describe = Describe.masked(view.catalog(), plan.variables(), searches(budget));
            describe(root, 0, describe, null, rows);
        }
        return rows.stream()
                .map(row -> ("  ".repeat(row.depth()) + row.operator() + " " + row.detail()).stripTrailing())
                .toList();
    }

    /** What an operator spent is what was spent downstream of its inputs less what was spent downstream of itself. */
    private static void describe(
            Node node, int depth, Describe describe, @Nullable Lowering lowering, List<ExplainRow> into) {
        String operator = Describe.operator(node);
        if (operator == null) {
            return;
        }
        List<Node> children = PlanShape.children(node);
        long actual = -1;
        long micros = -1;
        String detail = describe.detail(node);
        Meter meter = lowering == null ? null : lowering.meter(node);
        if (meter != null && lowering != null) {
            actual = meter.rows;
            micros = 0;
            Spending from = lowering.from(node);
            if (from != null) {
                micros = Math.max(0, from.nanos - meter.downstream.nanos) / 1000;
                detail += reads(
                        from.fromBlocks - meter.downstream.fromBlocks, from.fromTables - meter.downstream.fromTables);
            }
        }
        into.add(new ExplainRow(depth, operator, detail, node.rows(), actual, micros));
        for (Node child : children) {
            describe(child, depth + 1, describe, lowering, into);
        }
    }

    private static Describe.Searches searches(ExecutionBudget budget) {
        return new Describe.Searches() {
            @Override
            public boolean isApproximate(Node.VectorTop node) {
                Expression.PropertyOf compared =
                        (Expression.PropertyOf) node.search().subject();
                return NeighborSource.isAsked(budget, node.input(), compared.identityByType());
            }

            @Override
            public TextIndex.@Nullable Coverage coverage(Expression.Search search, int type) {
                return TextSources.coverage(budget, search, type);
            }

            @Override
            public long count(int type) {
                return budget.view.count(type);
            }
        };
    }

    /** Where the rows of an operator were read, as an addition to its detail. */
    private static String reads(long fromBlocks, long fromTables) {
        if (fromBlocks <= 0 && fromTables <= 0) {
            return "";
        }
        if (fromTables <= 0) {
            return " [blocks]";
        }
        return fromBlocks <= 0
                ? " [tables]"
                : " [blocks %d %%, tables]".formatted(100 * fromBlocks / (fromBlocks + fromTables));
    }

    @Override
    public int[] select(int type, Expression predicate, List<Value> arguments, GraphView view, Limits limits) {
        try (ExecutionBudget budget = new ExecutionBudget(view, limits)) {
            Variable variable =
                    new Variable(0, "entity", view.catalog().requireType(type).kind(), List.of(type));
            // The plan is cached while the predicate is reachable, so it must not refer to the predicate.
            Pattern pattern = new Pattern(List.of(0), List.of(), List.of(Expressions.copy(predicate)), List.of());
            Node root = prepared.plan(
                    predicate,
                    view,
                    Constants.withNow(arguments, limits.nowMicros()),
                    budget::check,
                    statistics -> new PatternPlanner(statistics, List.of(variable), Choices.CHEAPEST).plan(pattern));
            Selected selected = new Selected(budget);
            BitSet needed = new BitSet();
            needed.set(0);
            new Lowering(budget, arguments, List.of(variable), new BitSet(), false, false)
                    .lower(root, selected, needed)
                    .drive();
            int[] ordinals = selected.ordinals.toArray();
            budget.handOver(HeapBytes.array(ordinals.length, Integer.BYTES));
            return IntSort.ascending(ordinals, budget);
        }
    }

    /** Collects ordinals. */
    private static final class Selected extends Operator {
        private final Ordinals ordinals;

        Selected(ExecutionBudget budget) {
            this.ordinals = new Ordinals(budget);
        }

        @Override
        public boolean push(Batch batch) {
            ordinals.add(batch.slot(0).ordinals, batch.size);
            return true;
        }

        @Override
        public void finish() {}
    }
}
