package service.projection.query;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Refinement;
import service.core.gq.plan.Variable;
import service.core.port.IndexRange;
import service.core.value.Value;
import service.projection.query.kernel.Kernel;
import service.projection.query.kernel.KernelCompiler;
import service.projection.query.operator.AggregateOperator;
import service.projection.query.operator.Aggregation;
import service.projection.query.operator.BlockOperators;
import service.projection.query.operator.DegreeOperator;
import service.projection.query.operator.Downstream;
import service.projection.query.operator.EndsOperator;
import service.projection.query.operator.ExpandOperator;
import service.projection.query.operator.FilterOperator;
import service.projection.query.operator.FirstKeyOperator;
import service.projection.query.operator.HopOperator;
import service.projection.query.operator.IntersectOperator;
import service.projection.query.operator.MeetOperator;
import service.projection.query.operator.Meter;
import service.projection.query.operator.Operator;
import service.projection.query.operator.OutputOperators;
import service.projection.query.operator.SortOperator;
import service.projection.query.operator.Source;
import service.projection.query.operator.Sources;
import service.projection.query.operator.Spending;
import service.projection.query.operator.UnnestOperator;
import service.projection.query.plan.ClosedHop;
import service.projection.query.plan.Constants;
import service.projection.query.plan.Expressions;
import service.projection.query.plan.Node;
import service.projection.query.plan.PlanShape;
import service.projection.query.plan.RowWindow;
import service.projection.query.vector.Batches;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/**
 * Turns a physical plan into a pipeline of operators. It works from the end to the source, so each operator is built
 * knowing which slots are read downstream, and fills no others.
 */
final class Lowering {
    /** The heap bytes of an operator with its sets of slots, without batches and columns. */
    private static final int OPERATOR_BYTES = 2048;

    private final ExecutionBudget budget;
    final List<Value> arguments;
    private final List<Variable> variables;
    private final int slotCount;
    private final Batches batches;
    private final BitSet nullable;
    private final boolean early;
    private final BlockLowering blocks;
    private final @Nullable IdentityHashMap<Node, Meter> meters;

    /** Hops whose rows are only counted, or only looked for. */
    private final Set<Node> counted = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Hops that the next hop's operator follows as well, unless the view has no lists of neighbours. */
    private final Set<Node> closed = Collections.newSetFromMap(new IdentityHashMap<>());

    /** The TopN that is lowered, whose rows may come from an ordered scan. */
    private @Nullable SortOperator top;

    private final IdentityHashMap<Node, Spending> sources = new IdentityHashMap<>();

    /**
     * @param arguments the values of the parameters
     * @param nullable slots that may hold null, because optional blocks bind them
     * @param early whether operators push rows without gathering, because the plan ends with a limit without an order
     * @param measured whether to count rows and time at each node
     */
    Lowering(
            ExecutionBudget budget,
            List<Value> arguments,
            List<Variable> variables,
            BitSet nullable,
            boolean early,
            boolean measured) {
        this.budget = budget;
        this.arguments = Constants.withNow(arguments, budget.limits.nowMicros());
        this.variables = variables;
        this.slotCount = variables.size();
        this.batches = new Batches(budget, slotCount);
        this.nullable = nullable;
        this.early = early;
        this.blocks = new BlockLowering(this, budget, slotCount);
        this.meters = measured ? new IdentityHashMap<>() : null;
    }

    /** What was spent downstream of the node's inputs: in its own operator and all later ones; null if unknown. */
    @Nullable
    Spending from(Node node) {
        List<Node> inputs = PlanShape.children(node);
        Node input = inputs.isEmpty() ? node : inputs.getFirst();
        if (node instanceof Node.Concat) {
            // It does nothing but pass rows on.
            Meter own = meter(node);
            return own == null ? null : own.downstream;
        }
        if (inputs.isEmpty() || input instanceof Node.OuterRows) {
            return sources.get(input);
        }
        Meter meter = meter(input);
        if (meter == null && closed.contains(input)) {
            return from(input);
        }
        return meter == null ? null : meter.downstream;
    }

    private Source timed(Node node, Source source) {
        if (meters == null) {
            return source;
        }
        Spending spending = new Spending(budget.view.reads());
        sources.put(node, spending);
        return () -> spending.drive(source);
    }

    /** The meter of a node; null unless measured or when the node was not run. */
    @Nullable
    Meter meter(Node node) {
        Meter meter = meters == null ? null : meters.get(node);
        return meter != null && meter.rows == 0 && closed.contains(node) ? null : meter;
    }

    /**
     * A pipeline for the node.
     *
     * @param needed slots that {@code end} reads
     */
    Source lower(Node node, Operator end, BitSet needed) {
        return lowerTo(node, end, needed, null);
    }

    Source lowerTo(Node node, Operator end, BitSet needed, @Nullable BlockHead outer) {
        budget.charge(OPERATOR_BYTES);
        budget.step();
        Operator next = node instanceof Node.OuterRows ? end : metered(node, end);
        Downstream down = new Downstream(batches, needed, next);
        return switch (node) {
            case Node.OuterRows n -> {
                Spending spending = meters == null ? null : new Spending(budget.view.reads());
                if (spending != null) {
                    sources.put(n, spending);
                }
                BlockHead head = Objects.requireNonNull(outer);
                head.rows = new Sources.Outer(batches, next, spending);
                head.needed = needed;
                yield () -> {};
            }
            case Node.Unit n -> timed(n, new Sources.Unit(batches, next));
            case Node.Given n -> timed(n, new Sources.Given(budget, n.given(), slotCount, next));
            case Node.Scan n -> timed(n, new Sources.Scan(budget, n, slotCount, next));
            case Node.Index n -> timed(n, index(n, next));
            case Node.IdLookup n ->
                timed(n, new Sources.IdLookup(budget, n, n.ids().of(arguments), slotCount, next));
            case Node.EdgesAt n -> {
                List<String> ids = n.nodeIds().of(arguments);
                yield timed(n, new Sources.EdgesAt(budget, n, ids, slotCount, next));
            }
            case Node.Counts n -> timed(n, new Sources.Counts(budget, n, slotCount, next));
            case Node.Union n -> timed(n, union(n, next));
            case Node.TextSeek n -> timed(n, blocks.textSeek(n, next));
            case Node.TextTop n -> timed(n, blocks.textTop(n, next));
            case Node.OrderedScan n -> timed(n, blocks.ordered(n, top, down));
            case Node.IdRange n -> timed(n, blocks.idRange(n, top, down));
            case Node.Concat n -> concat(n, down);
            case Node.Lookup n -> blocks.lookup(n, down, outer);
            case Node.Ends n -> ends(n, down, outer);
            case Node.Expand n -> expand(n, down, outer);
            case Node.Hops n -> hops(n, down, outer);
            case Node.Paths n -> blocks.paths(n, down, outer);
            case Node.Filter n -> filter(n, down, outer);
            case Node.SemiJoin n -> blocks.semiJoin(n, down, outer);
            case Node.BlockValue n -> blocks.value(n, down, outer);
            case Node.Fuse n -> blocks.fuse(n, down, outer);
            case Node.Optional n -> blocks.optional(n, down, outer);
            case Node.Shared n -> blocks.shared(n, down, outer);
            case Node.CrossJoin n -> blocks.join(BlockLowering.Join.of(n), down, outer, end);
            case Node.HashJoin n -> blocks.join(BlockLowering.Join.of(n), down, outer, end);
            case Node.Aggregate n -> aggregate(n, down, outer);
            case Node.Project n -> project(n, down, outer);
            case Node.Stage n -> blocks.stage(n, down, outer);
            case Node.Unnest n -> {
                Operator unnest = new UnnestOperator(n.slot(), variables.get(n.slot()), down);
                yield lowerTo(n.input(), unnest, SlotSets.with(needed, n.slot(), -1), outer);
            }
            case Node.Having n -> lowerTo(n.input(), new OutputOperators.Having(n.columns(), down), needed, outer);
            case Node.LimitPer n -> {
                RowWindow window = n.window();
                Operator limit = new OutputOperators.LimitPer(
                        n.columns(), window.skipped(arguments), window.limited(arguments), down);
                yield lowerTo(n.input(), limit, needed, outer);
            }
            case Node.Distinct n -> lowerTo(n.input(), new OutputOperators.Distinct(n.columns(), down), needed, outer);
            case Node.Sort n -> sort(n, down, outer);
            case Node.VectorTop n -> blocks.vectorTop(n, down, outer);
            case Node.Limit n -> {
                Operator limit = new OutputOperators.Limit(
                        n.window().skipped(arguments), n.window().limited(arguments), down);
                yield lowerTo(n.input(), limit, needed, outer);
            }
        };
    }

    private Operator metered(Node node, Operator end) {
        if (meters == null) {
            return end;
        }
        Meter meter = new Meter(end, budget.view.reads());
        meters.put(node, meter);
        return meter;
    }

    private Source index(Node.Index n, Operator next) {
        List<IndexRange> ranges = n.seek().ranges(arguments);
        if (early && ranges != null) {
            return new Sources.Index(budget, n, ranges, slotCount, next);
        }
        Downstream down = new Downstream(batches, SlotSets.with(new BitSet(), n.slot(), -1), next);
        int[][] live = new int[n.covered().size()][];
        Arrays.fill(live, new int[] {n.slot()});
        Kernel[] kernels = compiler().conditions(n.covered());
        // Of conditions that can fail, the filter above decides.
        Operator filter = new FilterOperator(kernels, live[0], live, early, true, down);
        Node.Scan all = new Node.Scan(n.slot(), List.of(n.type()), n.rows());
        Source scan = new Sources.Scan(budget, all, slotCount, filter);
        return ranges == null ? scan : new Sources.IndexOrScan(budget, n, ranges, slotCount, next, scan);
    }

    /** Drives the sources one after the other into one pipeline. */
    private Source union(Node.Union n, Operator next) {
        Sources.Gather gather = new Sources.Gather(next);
        List<Source> sources = new ArrayList<>();
        for (Node source : n.sources()) {
            sources.add(lower(source, gather, new BitSet()));
        }
        return new Sources.Union(sources, gather, next);
    }

    private Source concat(Node.Concat n, Downstream down) {
        Sources.Gather gather = new Sources.Gather(down.next());
        List<Source> parts = new ArrayList<>();
        n.parts().forEach(part -> parts.add(lower(part, gather, down.read())));
        return new Sources.Union(parts, gather, down.next());
    }

    private Source ends(Node.Ends n, Downstream down, @Nullable BlockHead outer) {
        BitSet in = SlotSets.with(down.carried(n.from(), n.to()), n.edge(), -1);
        return lowerTo(n.input(), new EndsOperator(n, down), in, outer);
    }

    private Source expand(Node.Expand n, Downstream down, @Nullable BlockHead outer) {
        BlockOperators.Marker marker = outer == null ? null : outer.marker;
        Operator operator = new ExpandOperator(n, marker, down);
        if (counted.contains(n) && !down.reads(n.far().slot()) && !down.reads(n.edge())) {
            operator = new DegreeOperator(n, marker != null, operator, down);
        }
        BitSet carried = down.carried(n.far().newSlot(), n.edge());
        BitSet in = SlotSets.with(carried, n.near(), n.far().bound() ? n.far().slot() : -1);
        ClosedHop hop = outer == null ? ClosedHop.of(n) : null;
        return hop == null ? lowerTo(n.input(), operator, in, outer) : intersection(hop, operator, in, down);
    }

    /**
     * Both hops in one operator.
     *
     * @param closing the operator of the second hop alone, which reads the slots {@code in}
     */
    private Source intersection(ClosedHop hop, Operator closing, BitSet in, Downstream down) {
        Node.Expand open = hop.open();
        Downstream between = new Downstream(batches, in, metered(open, closing));
        Operator enumerating = new ExpandOperator(open, null, between);
        closed.add(open);
        Operator operator = new IntersectOperator(hop, enumerating, down);
        BitSet first = SlotSets.with(between.carried(open.far().slot()), open.near(), -1);
        return lowerTo(open.input(), operator, first, null);
    }

    /** Takes note of a hop whose rows can be counted without enumerating them. */
    void countIfPossible(Node node) {
        if (node instanceof Node.Expand hop
                && hop.steps().size() == 1
                && !hop.undirected()
                && !hop.far().bound()) {
            counted.add(hop);
        }
    }

    Source hops(Node.Hops n, Downstream down, @Nullable BlockHead outer) {
        boolean bound = n.far().bound();
        Operator operator = bound ? new MeetOperator(n, down) : new HopOperator(n, down);
        BitSet in = SlotSets.with(
                down.carried(n.far().newSlot(), n.length()),
                n.near(),
                bound ? n.far().slot() : -1);
        return lowerTo(n.input(), operator, in, outer);
    }

    private Source filter(Node.Filter n, Downstream down, @Nullable BlockHead outer) {
        int count = n.conjuncts().size();
        int[][] liveAfter = new int[count][];
        BitSet live = SlotSets.copy(down.read());
        for (int i = count - 1; i >= 0; i--) {
            liveAfter[i] = Expressions.array(live);
            Expressions.addSlots(n.conjuncts().get(i), live);
        }
        Kernel[] kernels = compiler().conditions(n.conjuncts());
        boolean asTheyCome = early || (outer != null && outer.marker != null);
        Operator operator =
                new FilterOperator(kernels, Expressions.array(live), liveAfter, asTheyCome, n.tentative(), down);
        return lowerTo(n.input(), operator, live, outer);
    }

    private Source aggregate(Node.Aggregate n, Downstream down, @Nullable BlockHead outer) {
        BitSet in = new BitSet();
        KernelCompiler compiler = compiler();
        n.keys().forEach(key -> Expressions.addSlots(key, in));
        List<Expression.Aggregate> aggregates =
                n.aggregates().stream().map(a -> a.within(n.keys())).toList();
        List<Aggregation> aggregations =
                aggregates.stream().map(each -> aggregation(each, compiler, in)).toList();
        int[] keySlots = n.keys().stream()
                .mapToInt(key -> key instanceof Expression.EntityOf e && down.reads(e.slot()) ? e.slot() : -1)
                .toArray();
        Operator operator = new AggregateOperator(compiler.compile(n.keys()), keySlots, aggregates, aggregations, down);
        if (n.aggregates().stream().allMatch(this::countsRows)) {
            countIfPossible(n.input());
        }
        return lowerTo(n.input(), operator, in, outer);
    }

    /** @param in receives the slots that it reads */
    Aggregation aggregation(Expression.Aggregate aggregate, KernelCompiler compiler, BitSet in) {
        Refinement refinement = aggregate.refinement();
        Expression where = refinement.where();
        BitSet read = new BitSet();
        Kernel operand = null;
        List<Expression> keys =
                refinement.order().stream().map(Plan.SortKey::expression).toList();
        // What is computed for some of the rows has its own leaves.
        KernelCompiler ofRows = where == null ? compiler : compiler();
        if (!countsRows(aggregate)) {
            operand = ofRows.compile(aggregate.operand());
            Expressions.addSlots(aggregate.operand(), read);
        }
        Kernel[] orders = ofRows.compile(keys);
        keys.forEach(key -> Expressions.addSlots(key, read));
        in.or(read);
        Kernel condition = null;
        if (where != null) {
            condition = compiler.conditions(List.of(where))[0];
            Expressions.addSlots(where, in);
        }
        Aggregation.Input input = new Aggregation.Input(condition, operand, orders, Expressions.array(read));
        return new Aggregation(budget, aggregate, AggregateConstants.of(refinement, arguments), input, slotCount);
    }

    /** Whether the operand of a count is never null, so that the count needs no column. */
    boolean countsRows(Expression.Aggregate aggregate) {
        return aggregate.function() == Expression.AggregateFunction.COUNT
                && aggregate.refinement().where() == null
                && !aggregate.distinct()
                && switch (aggregate.operand()) {
                    case Expression.EntityOf e -> !nullable.get(e.slot());
                    case Expression.IdOf e -> !nullable.get(e.slot());
                    case Expression.Literal e -> !(e.value() instanceof Value.Null);
                    default -> false;
                };
    }

    private Source project(Node.Project n, Downstream down, @Nullable BlockHead outer) {
        BitSet in = SlotSets.copy(down.read());
        n.expressions().forEach(expression -> Expressions.addSlots(expression, in));
        Operator operator = new OutputOperators.Project(compiler().compile(n.expressions()), down);
        return lowerTo(n.input(), operator, in, outer);
    }

    private Source sort(Node.Sort n, Downstream down, @Nullable BlockHead outer) {
        BitSet live = SlotSets.copy(down.read());
        n.tieSlots().forEach(live::set);
        long keep = n.kept() == null ? -1 : n.kept().needed(arguments);
        SortOperator sort = new SortOperator(n, keep, new Downstream(batches, live, down.next()));
        boolean few = n.per().isEmpty() && keep > 0 && keep <= FirstKeyOperator.KEEP_MAX;
        SortOperator outerTop = top;
        top = few ? sort : null;
        Source source = few && n.input() instanceof Node.Project keys && isDecidedByFirst(n, keys)
                ? byFirstKey(n, keys, (int) keep, sort, live, outer)
                : lowerTo(n.input(), sort, live, outer);
        top = outerTop;
        return source;
    }

    /** Whether the first key is a number, and no other expression fails on a row that it drops. */
    private static boolean isDecidedByFirst(Node.Sort n, Node.Project keys) {
        List<Expression> all = keys.expressions();
        Column first = ColumnValues.columnFor(firstKey(n, keys).type());
        return all.size() > 1
                && (first instanceof LongColumn || first instanceof DoubleColumn)
                && all.stream().noneMatch(Expressions::canFail);
    }

    private static Expression firstKey(Node.Sort n, Node.Project keys) {
        return keys.expressions().get(n.keys().getFirst().column());
    }

    private Source byFirstKey(
            Node.Sort n, Node.Project keys, int keep, Operator sort, BitSet live, @Nullable BlockHead outer) {
        BitSet read = SlotSets.copy(live);
        keys.expressions().forEach(expression -> Expressions.addSlots(expression, read));
        Operator project = new OutputOperators.Project(
                compiler().compile(keys.expressions()), new Downstream(batches, live, metered(keys, sort)));
        FirstKeyOperator first = new FirstKeyOperator(
                compiler().compile(firstKey(n, keys)),
                n.keys().getFirst().descending(),
                keep,
                new Downstream(batches, read, project));
        blocks.cut(n, keys.input(), first);
        return lowerTo(keys.input(), first, read, outer);
    }

    /** An empty column for a slot. */
    Column empty(int slot) {
        Variable variable = variables.get(slot);
        boolean isEntity = variable.kind() != null;
        return budget.own(isEntity ? new EntityColumn() : ColumnValues.columnFor(variable.value()));
    }

    KernelCompiler compiler() {
        return new KernelCompiler(budget, variables, arguments);
    }
}
