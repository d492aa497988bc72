package service.projection.query.path;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.gq.plan.Walk;
import service.projection.query.kernel.Kernel;
import service.projection.query.operator.Operator;
import service.projection.query.operator.Sources;
import service.projection.query.plan.Expressions;
import service.projection.query.plan.SurePrice;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/**
 * The condition on each step and the cost of one: a block that runs on a batch of steps, whose outer rows are the steps
 * with the variables of the row that the search begins with. It reports by the tags of these rows.
 */
public final class StepRule {
    private final ExecutionBudget budget;
    private final Walk walk;
    private final Walk.Rule rule;
    private final Blocks blocks;

    /** The end of the block that has tested the last steps. */
    private Passed passed;

    private final Batch steps;
    private final int[] outer;
    private final int[] spread;
    private final boolean[] live = new boolean[3];
    private @Nullable Batch rows;

    /**
     * The block.
     *
     * @param head takes the steps
     * @param end its last operator
     * @param reads the slots that it reads of the steps and of the outer row
     */
    public record Block(Sources.Outer head, Passed end, BitSet reads) {}

    /**
     * The same block, run in different ways.
     *
     * @param along for a search in the direction of the path, whose steps have few sources
     * @param against for a search against it, whose steps have few destinations
     */
    public record Blocks(Block along, Block against) {}

    /** The end of the block: takes note of the steps that passed it, and of their costs. */
    public static final class Passed extends Operator {
        private final @Nullable Kernel by;
        private final boolean[] marks = new boolean[Column.CAPACITY];
        private final double[] costs = new double[Column.CAPACITY];

        /** @param by the cost; null when each step costs 1 */
        public Passed(@Nullable Kernel by) {
            this.by = by;
        }

        @Override
        public boolean push(Batch batch) {
            Column prices = by == null ? null : by.eval(batch);
            for (int i = 0; i < batch.size; i++) {
                int tag = batch.tags[i];
                double cost = prices == null ? 1 : cost(prices, i);
                // Neither null, which is NaN here, nor infinite.
                marks[tag] = cost < Double.POSITIVE_INFINITY;
                costs[tag] = cost;
            }
            return true;
        }

        private static double cost(Column column, int row) {
            return column.isNull(row) ? Double.NaN : ColumnValues.real(column, row);
        }

        @Override
        public void finish() {}
    }

    /** @param steps an empty batch */
    public StepRule(ExecutionBudget budget, Walk walk, Walk.Rule rule, Blocks blocks, Batch steps) {
        budget.charge(Column.CAPACITY * (long) (1 + Double.BYTES));
        this.budget = budget;
        this.walk = walk;
        this.rule = rule;
        this.blocks = blocks;
        this.passed = blocks.along.end;
        this.steps = steps;
        this.spread = budget.rowNumbers();
        BitSet others = (BitSet) blocks.along.reads.clone();
        others.or(blocks.against.reads);
        int[] own = {rule.source(), rule.edge(), rule.destination()};
        for (int i = 0; i < own.length; i++) {
            live[i] = others.get(own[i]);
            others.clear(own[i]);
        }
        this.outer = Expressions.array(others);
    }

    boolean isPriced() {
        return rule.by() != null;
    }

    /** Whether it says no more of a step than its cost ({@link SurePrice}). */
    boolean isOnlyPrice() {
        return SurePrice.of(rule);
    }

    /** Whether what it says of a step may depend on the row that a search begins with. */
    boolean readsOuterRow() {
        return outer.length > 0;
    }

    /** Sets the row that the search begins with. */
    void begin(Batch batch, int row) {
        rows = batch;
        Arrays.fill(spread, row);
    }

    boolean passed(int step) {
        return passed.marks[step];
    }

    double cost(int step) {
        return passed.costs[step];
    }

    /**
     * Tests the steps that one expansion has found.
     *
     * @param farType of their neighbours
     * @param along whether the search walks in the direction of the path
     */
    void test(int edgeType, int farType, EntityColumn frontier, ExpandBatch found, boolean along) {
        int size = found.size;
        Batch from = rows;
        steps.clear(outer);
        if (from != null) {
            for (int slot : outer) {
                steps.gather(from, slot, spread, size);
            }
        }
        if (live[along ? 0 : 2]) {
            EntityColumn near = steps.own(along ? rule.source() : rule.destination());
            near.reset(size);
            for (int i = 0; i < size; i++) {
                int row = found.inputRows[i];
                near.set(i, frontier.types[row], frontier.ordinals[row], EntityColumn.NO_RECORD);
            }
        }
        if (live[along ? 2 : 0]) {
            fill(along ? rule.destination() : rule.source(), farType, found.neighbours, size);
        }
        if (live[1]) {
            fill(rule.edge(), edgeType, found.edges, size);
        }
        steps.size = size;
        Block block = along ? blocks.along : blocks.against;
        passed = block.end;
        Arrays.fill(passed.marks, 0, size, false);
        block.head.feed(steps);
        rejectNegative(edgeType, found);
    }

    private void fill(int slot, int type, int[] ordinals, int size) {
        EntityColumn column = steps.own(slot);
        column.reset(size);
        for (int i = 0; i < size; i++) {
            column.set(i, type, ordinals[i], EntityColumn.NO_RECORD);
        }
    }

    private void rejectNegative(int edgeType, ExpandBatch found) {
        for (int i = 0; isPriced() && i < found.size; i++) {
            if (passed(i) && cost(i) < 0) {
                String type = budget.view.catalog().requireType(edgeType).name();
                String id = budget.view.id(edgeType, found.edges[i]);
                throw walk.origin()
                        .fault(
                                "R4",
                                "the cost of `" + type + "` \"" + id + "\" is " + cost(i)
                                        + ", and a cost is not negative",
                                "leave such edges out with `where`, or cost them otherwise");
            }
        }
    }
}
