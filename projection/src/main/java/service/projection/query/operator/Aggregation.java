package service.projection.query.operator;

import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.gq.plan.Expression;
import service.projection.query.kernel.Kernel;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * One aggregate of an operator: takes the rows that its condition holds for, computes what it runs over, and hands this
 * to an {@link Accumulator}.
 */
public final class Aggregation {
    private final ExecutionBudget budget;
    private final Expression.Aggregate aggregate;
    private final Constants constants;
    private final Input input;
    private final int[] identity;
    private final int[] rows;
    private final int[] groupsOfRows;
    private final @Nullable Batch picked;
    private Accumulator accumulator;

    /**
     * What an aggregate reads.
     *
     * @param where its condition on a row, or null
     * @param operand null for a count of rows, which has no condition
     * @param keys that order its elements
     * @param slots that operand and keys read, for the rows that the condition holds for
     */
    public record Input(@Nullable Kernel where, @Nullable Kernel operand, Kernel[] keys, int[] slots) {}

    /**
     * The constants of an aggregate.
     *
     * @param fraction of {@code percentile}: from 0 to 1, or NaN for null
     * @param limit of {@code collect}; −1 for none
     */
    public record Constants(double fraction, long limit) {}

    /** @param slotCount variables of the plan */
    public Aggregation(
            ExecutionBudget budget, Expression.Aggregate aggregate, Constants constants, Input input, int slotCount) {
        this.budget = budget;
        this.aggregate = aggregate;
        this.constants = constants;
        this.accumulator = Accumulator.of(budget, aggregate, constants);
        this.input = input;
        this.identity = budget.rowNumbers();
        for (int i = 0; i < identity.length; i++) {
            identity[i] = i;
        }
        boolean picks = input.where != null;
        this.picked = picks ? new Batch(budget, slotCount) : null;
        this.rows = picks ? budget.rowNumbers() : identity;
        this.groupsOfRows = picks ? budget.rowNumbers() : identity;
    }

    /** Makes room for groups {@code [0, groups)}. */
    void ensure(int groups) {
        accumulator.ensure(groups);
    }

    /** Adds the rows of a batch to the groups that they belong to. */
    void add(int[] groups, Batch batch) {
        if (input.operand == null) {
            Accumulator.Count count = (Accumulator.Count) accumulator;
            if (batch.weights.length > 0) {
                count.addRows(groups, batch.weights, batch.size);
            } else {
                count.addRows(groups, batch.size);
            }
        } else if (input.where == null || picked == null) {
            add(groups, batch, input.operand);
        } else if (pick(groups, batch, input.where, picked)) {
            add(groupsOfRows, picked, input.operand);
        }
    }

    /** Adds all rows of a batch to the only group. */
    void addToOne(int[] zeros, Batch batch) {
        if (input.operand == null) {
            ((Accumulator.Count) accumulator).addRows(batch.rows());
        } else {
            add(zeros, batch);
        }
    }

    private void add(int[] groups, Batch batch, Kernel operand) {
        Column[] keys = new Column[input.keys.length];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = input.keys[i].eval(batch);
        }
        accumulator.keys(keys);
        accumulator.add(groups, operand.eval(batch), identity, batch.size);
    }

    /** Copies the rows that the condition holds for; false when there is none. */
    private boolean pick(int[] groups, Batch batch, Kernel where, Batch into) {
        int n = where.test(batch).trueRows(batch.size, rows);
        for (int i = 0; i < n; i++) {
            groupsOfRows[i] = groups[rows[i]];
        }
        into.clear(input.slots);
        into.append(batch, rows, n, input.slots);
        return n > 0;
    }

    /** Writes a group's result into a row. */
    void result(int group, Column into, int row) {
        accumulator.result(group, into, row);
    }

    /** Drops all groups and returns their memory; it begins with none. */
    void clear() {
        accumulator.release();
        accumulator = Accumulator.of(budget, aggregate, constants);
    }
}
