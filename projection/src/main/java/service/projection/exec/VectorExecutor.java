package service.projection.exec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.value.Value;

/**
 * The executor: plans a read for the view and the arguments at hand, lowers the plan into a
 * pipeline of operators that push batches of columns, and drives it. Stateless; any thread.
 *
 * <p>A cancelled read ends with {@link java.util.concurrent.CancellationException}.
 */
public final class VectorExecutor implements QueryExecutor {
    private final Choices choices;

    public VectorExecutor() {
        this(Choices.CHEAPEST);
    }

    /** An executor that plans by other choices than those of production. */
    VectorExecutor(Choices choices) {
        this.choices = choices;
    }

    @Override
    public void read(
            Plan.Read plan, List<Value> arguments, GraphView view, Limits limits, Sink sink) {
        Run run = new Run(view, limits);
        ReadPlanner planner = new ReadPlanner(view, plan, arguments, choices);
        Node root = planner.plan();
        lowering(run, plan, planner, false)
                .lower(root, toSink(run, plan, sink), new BitSet())
                .drive();
    }

    private static Lowering lowering(
            Run run, Plan.Read plan, ReadPlanner planner, boolean measured) {
        return new Lowering(
                run,
                plan.variables(),
                ReadPlanner.nullable(plan.match()),
                planner.stopsEarly(),
                measured);
    }

    private static Operator toSink(Run run, Plan.Read plan, Sink sink) {
        return new OutputOperators.ToSink(run, plan.outputs().size(), sink);
    }

    @Override
    public List<ExplainRow> explain(
            Plan.Read plan, List<Value> arguments, GraphView view, Limits limits, boolean analyze) {
        Run run = new Run(view, limits);
        ReadPlanner planner = new ReadPlanner(view, plan, arguments, choices);
        Node root = planner.plan();
        Lowering lowering = null;
        if (analyze) {
            lowering = lowering(run, plan, planner, true);
            Source source =
                    lowering.lower(root, toSink(run, plan, (v, columns, size) -> 0), new BitSet());
            source.drive();
        }
        Describe describe = new Describe(view.catalog(), plan.variables());
        List<ExplainRow> rows = new ArrayList<>();
        describe(root, 0, describe, lowering, rows);
        return rows;
    }

    /** Time of an operator: what passes behind its inputs less what passes behind itself. */
    private static void describe(
            Node node,
            int depth,
            Describe describe,
            @Nullable Lowering lowering,
            List<ExplainRow> into) {
        String operator = Describe.operator(node);
        if (operator == null) {
            return;
        }
        List<Node> children = PlanShape.children(node);
        long actual = -1;
        long micros = -1;
        Meter meter = lowering == null ? null : lowering.meter(node);
        if (meter != null && lowering != null) {
            actual = meter.rows;
            micros = Math.max(0, lowering.nanosFrom(node) - meter.nanosBehind) / 1000;
        }
        into.add(
                new ExplainRow(
                        depth, operator, describe.detail(node), node.rows(), actual, micros));
        for (Node child : children) {
            describe(child, depth + 1, describe, lowering, into);
        }
    }

    @Override
    public int[] select(
            int type, Expression predicate, List<Value> arguments, GraphView view, Limits limits) {
        Run run = new Run(view, limits);
        Variable variable =
                new Variable(0, "entity", view.catalog().requireType(type).kind(), List.of(type));
        Pattern pattern = new Pattern(List.of(0), List.of(), List.of(predicate), List.of());
        Node root = new PatternPlanner(view, List.of(variable), arguments, choices).plan(pattern);
        Selected selected = new Selected(run);
        BitSet needed = new BitSet();
        needed.set(0);
        new Lowering(run, List.of(variable), new BitSet(), false, false)
                .lower(root, selected, needed)
                .drive();
        int[] ordinals = Arrays.copyOf(selected.ordinals, selected.size);
        Arrays.sort(ordinals);
        return ordinals;
    }

    /** Collects ordinals. */
    private static final class Selected extends Operator {
        private final Run run;
        private int[] ordinals = new int[16];
        private int size;

        Selected(Run run) {
            this.run = run;
        }

        @Override
        boolean push(Batch batch) {
            if (ordinals.length - size < batch.size) {
                int grown = Math.max(ordinals.length * 2, size + batch.size);
                run.charge(4L * (grown - ordinals.length));
                ordinals = Arrays.copyOf(ordinals, grown);
            }
            System.arraycopy(batch.slot(0).ordinals, 0, ordinals, size, batch.size);
            size += batch.size;
            return true;
        }

        @Override
        void finish() {}
    }
}
