package service.projection.query;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.gq.plan.Expression;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.projection.query.kernel.CompareKernels;
import service.projection.query.kernel.Kernel;
import service.projection.query.operator.BlockOperators;
import service.projection.query.operator.JoinOperators;
import service.projection.query.operator.KnownMatches;
import service.projection.query.operator.Operator;
import service.projection.query.operator.Source;
import service.projection.query.plan.Expressions;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batches;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** The part of {@link Lowering} for nodes that run a second pipeline: blocks and joins. */
final class BlockLowering {
    private final Lowering lowering;
    private final ExecutionBudget budget;
    private final List<Value> arguments;
    private final Batches batches;
    private final int slotCount;

    BlockLowering(Lowering lowering, ExecutionBudget budget, List<Value> arguments, Batches batches, int slotCount) {
        this.lowering = lowering;
        this.budget = budget;
        this.arguments = arguments;
        this.batches = batches;
        this.slotCount = slotCount;
    }

    Source semiJoin(Node.SemiJoin n, Operator next, BitSet needed, @Nullable BlockHead outer) {
        BlockOperators.Marker marker = new BlockOperators.Marker();
        lowering.countIfPossible(n.block());
        BlockHead block = block(n.block(), marker, new BitSet());
        BitSet unread = SlotSets.bound(n.input());
        unread.andNot(block.needed);
        KnownMatches known =
                unread.isEmpty() ? null : new KnownMatches(budget, Expressions.array(block.needed), slotCount);
        Operator operator = new BlockOperators.SemiJoin(
                block.rows(), marker, known, n.negated(), Expressions.array(needed), batches, next);
        return lowering.lowerTo(n.input(), operator, SlotSets.union(needed, block.needed), outer);
    }

    Source measure(Node.Measure n, Operator next, BitSet needed, @Nullable BlockHead outer) {
        Expression operand = n.operand() == null ? null : Expressions.bind(n.operand(), arguments);
        Kernel operandKernel = operand == null ? null : lowering.compiler().compile(operand);
        BitSet operandSlots = operand == null ? new BitSet() : Expressions.slots(operand);
        BlockOperators.Tally tally = new BlockOperators.Tally(budget, n, operandKernel);
        if (operand == null) {
            lowering.countIfPossible(n.block());
        }
        BlockHead block = block(n.block(), tally, operandSlots);
        Column measured = budget.own(ColumnValues.columnFor(measureType(n)));
        Kernel test = CompareKernels.of(
                budget,
                n.operator(),
                new BlockOperators.Fixed(measured),
                lowering.compiler().compile(n.bound()));
        Operator operator = new BlockOperators.Measure(
                block.rows(), tally, measured, test, Expressions.array(needed), batches, next);
        BitSet in = SlotSets.union(needed, block.needed);
        in.or(Expressions.slots(n.bound()));
        return lowering.lowerTo(n.input(), operator, in, outer);
    }

    private static @Nullable PropertyType measureType(Node.Measure n) {
        Expression operand = n.operand();
        PropertyType type = operand == null ? null : operand.type();
        if (n.function() == Expression.AggregateFunction.COUNT) {
            return PropertyType.I64;
        }
        return type == null ? null : n.function().over(type);
    }

    Source optional(Node.Optional n, Operator next, BitSet needed, @Nullable BlockHead outer) {
        BitSet outerLive = SlotSets.copy(needed);
        List<Integer> blockSlots = new ArrayList<>();
        for (int slot : n.slots()) {
            outerLive.clear(slot);
            if (needed.get(slot)) {
                blockSlots.add(slot);
            }
        }
        BlockOperators.Matched matched = new BlockOperators.Matched(Expressions.array(needed), batches, next);
        BlockHead block = block(n.block(), matched, needed);
        Operator operator = new BlockOperators.Optional(
                block.rows(), matched, Expressions.array(outerLive), blockSlots, batches, next);
        return lowering.lowerTo(n.input(), operator, SlotSets.union(outerLive, block.needed), outer);
    }

    private BlockHead block(Node node, Operator end, BitSet needed) {
        BlockHead head = new BlockHead(end instanceof BlockOperators.Marker marker ? marker : null);
        lowering.lowerTo(node, end, needed, head);
        return head;
    }

    Source join(
            Node left,
            Node right,
            List<Expression> leftKeys,
            List<Expression> rightKeys,
            Operator next,
            BitSet needed,
            @Nullable BlockHead outer,
            Operator end) {
        // An {@code exists} block needs one row of each key.
        boolean firstOnly = end instanceof BlockOperators.Marker;
        BitSet rightLive = SlotSets.copy(needed);
        rightLive.and(SlotSets.bound(right));
        BitSet leftLive = SlotSets.copy(needed);
        leftLive.andNot(rightLive);
        int[] kept = Expressions.array(rightLive);
        JoinOperators.Build build =
                new JoinOperators.Build(budget, kept, lowering.compiler().compile(rightKeys), firstOnly);
        BitSet rightNeeded = SlotSets.copy(rightLive);
        rightKeys.forEach(key -> Expressions.addSlots(key, rightNeeded));
        Source rightSource = lowering.lower(right, build, rightNeeded);
        Operator probe = new JoinOperators.Probe(
                budget,
                rightSource,
                build,
                lowering.compiler().compile(leftKeys),
                Expressions.array(leftLive),
                kept,
                slotCount,
                outer == null ? null : outer.marker,
                next);
        BitSet in = SlotSets.copy(leftLive);
        leftKeys.forEach(key -> Expressions.addSlots(key, in));
        return lowering.lowerTo(left, probe, in, outer);
    }
}
