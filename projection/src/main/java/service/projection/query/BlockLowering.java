package service.projection.query;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Walk;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.projection.query.kernel.Kernel;
import service.projection.query.operator.BlockOperators;
import service.projection.query.operator.BlockValueOperator;
import service.projection.query.operator.Cutoff;
import service.projection.query.operator.Downstream;
import service.projection.query.operator.FuseOperator;
import service.projection.query.operator.FusedRankings;
import service.projection.query.operator.IdRangeSource;
import service.projection.query.operator.JoinOperators;
import service.projection.query.operator.KnownMatches;
import service.projection.query.operator.LookupOperator;
import service.projection.query.operator.NeighborSource;
import service.projection.query.operator.Operator;
import service.projection.query.operator.OrderedSource;
import service.projection.query.operator.OutputOperators;
import service.projection.query.operator.SharedOperators;
import service.projection.query.operator.SortOperator;
import service.projection.query.operator.Source;
import service.projection.query.operator.Sources;
import service.projection.query.operator.TextSources;
import service.projection.query.operator.VectorTopOperator;
import service.projection.query.path.PathOperator;
import service.projection.query.path.StepRule;
import service.projection.query.plan.Constants;
import service.projection.query.plan.Expressions;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batches;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.SearchOperator;

/** The part of {@link Lowering} for blocks, ends of stages, joins, and look-ups of values of rows. */
final class BlockLowering {
    private final Lowering lowering;
    private final ExecutionBudget budget;
    private final int slotCount;

    /** What is known of the costs that are needed of paths. */
    private final IdentityHashMap<Node.Paths, Cutoff> cutoffs = new IdentityHashMap<>();

    BlockLowering(Lowering lowering, ExecutionBudget budget, int slotCount) {
        this.lowering = lowering;
        this.budget = budget;
        this.slotCount = slotCount;
    }

    Source semiJoin(Node.SemiJoin n, Downstream down, @Nullable BlockHead outer) {
        BlockOperators.Marker marker = new BlockOperators.Marker();
        lowering.countIfPossible(n.block());
        BlockHead block = block(n.block(), marker, new BitSet());
        KnownMatches known = known(n.input(), block);
        Operator operator = new BlockOperators.SemiJoin(block.rows(), marker, known, n.negated(), down);
        return lowering.lowerTo(n.input(), operator, SlotSets.union(down.read(), block.needed), outer);
    }

    Source lookup(Node.Lookup n, Downstream down, @Nullable BlockHead outer) {
        BitSet in = down.carried(n.slot());
        Expressions.addSlots(n.key(), in);
        Kernel key = lowering.compiler().compile(n.key());
        BlockOperators.Marker marker = outer == null ? null : outer.marker;
        return lowering.lowerTo(n.input(), new LookupOperator(n, key, marker, down), in, outer);
    }

    /** @param top the TopN that ends the scan; null for a plain scan */
    Source ordered(Node.OrderedScan n, @Nullable SortOperator top, Downstream down) {
        return top == null
                ? scan(n.slot(), n.type(), down)
                : new OrderedSource(n, top, lowering.compiler().compile(n.key()), down);
    }

    /** @param top the TopN that ends an ordered range; null for a plain scan */
    Source idRange(Node.IdRange n, @Nullable SortOperator top, Downstream down) {
        return n.ordered() && top == null
                ? scan(n.slot(), n.type(), down)
                : IdRangeSource.of(n, lowering.arguments, top, down);
    }

    private Source scan(int slot, int type, Downstream down) {
        return new Sources.Scan(budget, new Node.Scan(slot, List.of(type), 0), slotCount, down.next());
    }

    Source value(Node.BlockValue n, Downstream down, @Nullable BlockHead outer) {
        Expression.Aggregate aggregate = n.aggregate();
        if (aggregate == null || lowering.countsRows(aggregate)) {
            lowering.countIfPossible(n.block());
        }
        BlockHead block;
        BlockValueOperator.Results results;
        if (aggregate == null) {
            BlockOperators.Marker marker = new BlockOperators.Marker();
            block = block(n.block(), marker, new BitSet());
            results = new BlockValueOperator.Marks(marker);
        } else {
            BitSet read = new BitSet();
            BlockValueOperator.Tally tally =
                    new BlockValueOperator.Tally(lowering.aggregation(aggregate, lowering.compiler(), read));
            block = block(n.block(), tally, read);
            results = tally;
        }
        Column computed = ColumnValues.columnFor(aggregate == null ? PropertyType.BOOL : aggregate.type());
        Operator operator =
                new BlockValueOperator(block.rows(), results, known(n.input(), block), n.slot(), computed, down);
        return lowering.lowerTo(n.input(), operator, SlotSets.union(down.carried(n.slot()), block.needed), outer);
    }

    Source fuse(Node.Fuse n, Downstream down, @Nullable BlockHead outer) {
        budget.searches(SearchOperator.FUSE);
        BitSet in =
                down.carried(n.fusions().stream().mapToInt(Plan.Fusion::slot).toArray());
        List<FusedRankings> fused = new ArrayList<>();
        for (Plan.Fusion fusion : n.fusions()) {
            // What is computed for some of the rows has its own leaves.
            List<FusedRankings.Ranking> rankings = fusion.rankings().stream()
                    .map(ranking -> FusedRankings.Ranking.of(
                            budget, bound(ranking), lowering.compiler().compile(ranking)))
                    .toList();
            fusion.rankings().forEach(ranking -> Expressions.addSlots(ranking, in));
            fused.add(new FusedRankings(
                    budget, fusion, rankings, Constants.value(fusion.k(), lowering.arguments), slotCount));
        }
        FuseOperator.Wanted wanted = n.kept() == null
                ? FuseOperator.Wanted.ALL
                : new FuseOperator.Wanted(n.by(), n.kept().needed(lowering.arguments));
        return lowering.lowerTo(n.input(), new FuseOperator(fused, wanted, Expressions.array(in), down), in, outer);
    }

    Source textSeek(Node.TextSeek n, Operator next) {
        budget.searches(SearchOperator.TEXT_SEEK);
        return new TextSources.Seek(budget, n, bound(n.search()), slotCount, next);
    }

    Source textTop(Node.TextTop n, Operator next) {
        budget.searches(SearchOperator.TEXT_TOP);
        long wanted = n.kept().needed(lowering.arguments);
        return new TextSources.Top(budget, n, bound(n.search()), wanted, slotCount, next);
    }

    private Expression.Search bound(Expression.Search search) {
        return (Expression.Search) Expressions.bind(search, lowering.arguments);
    }

    Source vectorTop(Node.VectorTop n, Downstream down, @Nullable BlockHead outer) {
        budget.searches(SearchOperator.VECTOR_TOP);
        Expression.PropertyOf property = (Expression.PropertyOf) n.search().subject();
        long wanted = n.kept().needed(lowering.arguments);
        Value sought = Constants.value(n.search().arguments().getFirst(), lowering.arguments);
        if (wanted < 0 || wanted > VectorTopOperator.WANTED_MAX || !(sought instanceof Value.Vector(float[] items))) {
            return lowering.lowerTo(n.input(), down.next(), down.read(), outer);
        }
        VectorTopOperator.Sought nearest = new VectorTopOperator.Sought(
                property.slot(),
                property.identityByType(),
                Objects.requireNonNull(n.search().by().metric()),
                items,
                (int) wanted);
        Operator operator = new VectorTopOperator(nearest, down);
        if (outer == null
                && n.input() instanceof Node.Scan scan
                && NeighborSource.isAsked(budget, scan, property.identityByType())) {
            return new NeighborSource(budget, scan, nearest, slotCount, operator);
        }
        return lowering.lowerTo(n.input(), operator, SlotSets.with(down.read(), property.slot(), -1), outer);
    }

    /** A memory of the block's answers; null when no two outer rows are the same for it. */
    private @Nullable KnownMatches known(Node input, BlockHead block) {
        BitSet unread = SlotSets.bound(input);
        unread.andNot(block.needed);
        return unread.isEmpty() ? null : new KnownMatches(budget, Expressions.array(block.needed), slotCount);
    }

    Source stage(Node.Stage n, Downstream down, @Nullable BlockHead outer) {
        List<Integer> read =
                n.slots().stream().map(slot -> down.reads(slot) ? slot : -1).toList();
        BitSet kept = n.isOpen()
                ? down.carried(n.slots().stream().mapToInt(Integer::intValue).toArray())
                : new BitSet();
        Operator stage = new OutputOperators.Stage(read, Expressions.array(kept), down);
        return lowering.lowerTo(n.input(), stage, kept, outer);
    }

    Source optional(Node.Optional n, Downstream down, @Nullable BlockHead outer) {
        BlockOperators.Matched matched = new BlockOperators.Matched(down);
        BlockHead block = block(n.block(), matched, down.read());
        BitSet in = down.carried(n.slots().stream().mapToInt(Integer::intValue).toArray());
        in.or(block.needed);
        Map<Integer, Column> bound = new LinkedHashMap<>();
        n.slots().forEach(slot -> bound.put(slot, lowering.empty(slot)));
        Operator operator = new BlockOperators.Optional(block.rows(), matched, bound, down);
        return lowering.lowerTo(n.input(), operator, in, outer);
    }

    Source shared(Node.Shared n, Downstream down, @Nullable BlockHead outer) {
        BitSet filled = SlotSets.bound(n.block());
        n.on().forEach(filled::clear);
        BitSet read = SlotSets.copy(down.read());
        read.and(filled);
        n.on().forEach(read::set);
        SharedOperators.Rejoin rejoin = new SharedOperators.Rejoin(array(n.on()), Expressions.array(filled), down);
        BlockHead block = block(n.block(), rejoin, read);
        BitSet in = down.carried(Expressions.array(filled));
        n.by().forEach(in::set);
        n.on().forEach(in::set);
        Operator operator = new SharedOperators.Share(block.rows(), rejoin, array(n.by()), down);
        return lowering.lowerTo(n.input(), operator, in, outer);
    }

    private static int[] array(List<Integer> slots) {
        return slots.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Lets the paths whose cost is the first key of a TopN end where it needs no more. The operators between them must
     * take each row alone, and must not fail on one.
     *
     * @param cutoff what the TopN knows
     */
    void cut(Node.Sort top, Node input, Cutoff cutoff) {
        if (!(top.by().getFirst() instanceof Expression.ValueOf key)
                || top.keys().getFirst().descending()) {
            return;
        }
        for (Node at = input; at != null; at = takenAlone(at)) {
            if (at instanceof Node.Paths paths && paths.walking().walk().slots().cost() == key.slot()) {
                cutoffs.put(paths, cutoff);
            }
        }
    }

    private static @Nullable Node takenAlone(Node node) {
        return switch (node) {
            case Node.Filter n when n.conjuncts().stream().noneMatch(Expressions::canFail) -> n.input();
            case Node.HashJoin n when n.probeKeys().stream().noneMatch(Expressions::canFail) -> n.input();
            case Node.CrossJoin n -> n.input();
            case Node.Expand n -> n.input();
            case Node.Ends n -> n.input();
            default -> null;
        };
    }

    Source paths(Node.Paths n, Downstream down, @Nullable BlockHead outer) {
        if (asksForHops(n, down)) {
            return lowering.hops(n.hops(), down, outer);
        }
        Walk.Slots slots = n.walking().walk().slots();
        Walk.Rule rule = n.walking().walk().rule();
        BitSet in = SlotSets.with(
                down.carried(n.far().newSlot(), slots.path(), slots.length(), slots.cost()),
                n.near(),
                n.far().bound() ? n.far().slot() : -1);
        Node.Rule blocks = n.rule();
        StepRule steps = null;
        if (rule != null && blocks != null) {
            StepRule.Block along = stepBlock(rule, blocks.along());
            StepRule.Block against =
                    blocks.against().equals(blocks.along()) ? along : stepBlock(rule, blocks.against());
            steps = new StepRule(
                    budget,
                    n.walking().walk(),
                    rule,
                    new StepRule.Blocks(along, against),
                    new Batches(budget, slotCount).make());
            in.or(along.reads());
            in.or(against.reads());
            in.clear(rule.source());
            in.clear(rule.edge());
            in.clear(rule.destination());
        }
        BlockOperators.Marker marker = outer == null ? null : outer.marker;
        return lowering.lowerTo(
                n.input(), new PathOperator(n, steps, marker, cutoffs.getOrDefault(n, Cutoff.NONE), down), in, outer);
    }

    /** Whether of shortest paths no more is read than where they end, and how long they are. */
    private static boolean asksForHops(Node.Paths n, Downstream down) {
        Walk walk = n.walking().walk();
        return walk.mode() == Walk.Mode.SHORTEST
                && walk.rule() == null
                && !down.reads(walk.slots().path())
                && !down.reads(walk.slots().cost());
    }

    private StepRule.Block stepBlock(Walk.Rule rule, Node block) {
        Expression by = rule.by();
        StepRule.Passed end =
                new StepRule.Passed(by == null ? null : lowering.compiler().compile(by));
        BlockHead head = block(block, end, by == null ? new BitSet() : Expressions.slots(by));
        return new StepRule.Block(head.rows(), end, head.needed);
    }

    private BlockHead block(Node node, Operator end, BitSet needed) {
        BlockHead head = new BlockHead(end instanceof BlockOperators.Marker marker ? marker : null);
        lowering.lowerTo(node, end, needed, head);
        return head;
    }

    /**
     * Two inputs, of which the right one is kept in memory.
     *
     * @param leftKeys none for a cross join
     */
    record Join(Node left, Node right, List<Expression> leftKeys, List<Expression> rightKeys) {
        static Join of(Node.CrossJoin n) {
            return new Join(n.input(), n.right(), List.of(), List.of());
        }

        static Join of(Node.HashJoin n) {
            return new Join(n.input(), n.build(), n.probeKeys(), n.buildKeys());
        }
    }

    /** @param end the operator after the join: an {@code exists} block needs one row of each key */
    Source join(Join join, Downstream down, @Nullable BlockHead outer, Operator end) {
        BitSet rightLive = SlotSets.bound(join.right);
        rightLive.and(down.read());
        BitSet leftLive = SlotSets.copy(down.read());
        leftLive.andNot(rightLive);
        JoinOperators.Build build = new JoinOperators.Build(
                budget,
                Expressions.array(rightLive),
                lowering.compiler().compile(join.rightKeys),
                end instanceof BlockOperators.Marker);
        join.rightKeys.forEach(key -> Expressions.addSlots(key, rightLive));
        Source right = lowering.lower(join.right, build, rightLive);
        Operator probe = new JoinOperators.Probe(
                right, build, lowering.compiler().compile(join.leftKeys), outer == null ? null : outer.marker, down);
        join.leftKeys.forEach(key -> Expressions.addSlots(key, leftLive));
        return lowering.lowerTo(join.left, probe, leftLive, outer);
    }
}
