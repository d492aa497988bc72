package service.projection.query.operator;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.AggregateFunction;
import service.projection.query.kernel.Kernel;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.RowStore;

/**
 * Groups rows by hash. It first assigns a group number to each row of a batch, then runs one loop over the batch for
 * each aggregate.
 */
public final class AggregateOperator extends Operator {
    private final ExecutionBudget budget;
    private final Kernel[] keys;

    /** For each key, the slot that downstream operators read its entities from; −1 for none. */
    private final int[] keySlots;

    private final List<Expression.Aggregate> aggregates;
    private final Accumulator[] accumulators;

    /** One for each aggregate; null for {@code count} of rows, which has no operand. */
    private final @Nullable Kernel[] operands;

    private final Operator next;
    private final Batch out;
    private final RowStore keyRows;
    private final Batch keyBatch;
    /** Null without keys: all rows are one group. */
    private final @Nullable RowNumbers numbers;

    private final int[] groups;
    private final int[] identity;
    private int groupCount;
    private boolean anyRow;

    /**
     * @param keySlots for each key, the slot that receives its entities; −1 for none
     * @param operands one for each aggregate; null for a count of rows
     */
    public AggregateOperator(
            Kernel[] keys,
            int[] keySlots,
            List<Expression.Aggregate> aggregates,
            @Nullable Kernel[] operands,
            Downstream down) {
        this.budget = down.budget();
        this.identity = budget.rowNumbers();
        this.groups = budget.rowNumbers();
        this.keys = keys;
        this.keySlots = keySlots;
        this.aggregates = aggregates;
        this.operands = operands;
        this.next = down.next();
        this.out = down.batch();
        this.keyBatch = new Batch(budget, 0);
        this.keyRows = new RowStore(budget, new int[0]);
        this.numbers = keys.length == 0 ? null : new RowNumbers(budget, keys.length);
        this.accumulators =
                aggregates.stream().map(a -> Accumulator.of(budget, a)).toArray(Accumulator[]::new);
        for (int i = 0; i < identity.length; i++) {
            identity[i] = i;
        }
        keyBatch.computed = new Column[keys.length];
        if (keys.length == 0) {
            groupCount = 1;
        }
        for (Accumulator accumulator : accumulators) {
            accumulator.ensure(1);
        }
    }

    @Override
    public boolean push(Batch batch) {
        anyRow |= batch.size > 0;
        if (numbers != null) {
            number(batch, numbers);
        }
        for (int i = 0; i < accumulators.length; i++) {
            Accumulator accumulator = accumulators[i];
            accumulator.ensure(groupCount);
            Kernel operand = operands[i];
            if (operand != null) {
                accumulator.add(groups, operand.eval(batch), identity, batch.size);
            } else if (keys.length == 0) {
                ((Accumulator.Count) accumulator).addRows(batch.rows());
            } else if (batch.weights.length > 0) {
                ((Accumulator.Count) accumulator).addRows(groups, batch.weights, batch.size);
            } else {
                ((Accumulator.Count) accumulator).addRows(groups, batch.size);
            }
        }
        return true;
    }

    /** Assigns a group number to each row. */
    private void number(Batch batch, RowNumbers by) {
        for (int k = 0; k < keys.length; k++) {
            keyBatch.computed[k] = keys[k].eval(batch);
        }
        by.number(keyBatch.computed, batch.size, groups);
        for (int row = 0; row < batch.size; row++) {
            if (groups[row] == groupCount) {
                groupCount++;
                keyRows.append(keyBatch, row);
            }
        }
    }

    @Override
    public void finish() {
        Column[] computed = new Column[keys.length + accumulators.length];
        System.arraycopy(keyRows.computedSiblings(), 0, computed, 0, groupCount == 0 ? 0 : keys.length);
        for (int i = 0; i < accumulators.length; i++) {
            computed[keys.length + i] =
                    budget.own(ColumnValues.columnFor(aggregates.get(i).type()));
        }
        boolean more = true;
        for (int from = 0; more && from < groupCount; from += Column.CAPACITY) {
            int size = Math.min(Column.CAPACITY, groupCount - from);
            Arrays.stream(computed).forEach(column -> column.reset(size));
            for (int i = 0; i < size; i++) {
                for (int k = 0; k < keys.length; k++) {
                    Column kept = keyRows.column(k, from + i);
                    computed[k].copy(kept, RowStore.place(from + i), i);
                }
                for (int a = 0; a < accumulators.length; a++) {
                    Column into = computed[keys.length + a];
                    if (anyRow || aggregates.get(a).function() != AggregateFunction.COLLECT) {
                        accumulators[a].result(from + i, into, i);
                    } else {
                        // Without any row, every aggregate except count is null.
                        into.setNull(i);
                    }
                }
            }
            for (int k = 0; k < keys.length; k++) {
                if (keySlots[k] >= 0) {
                    out.put(keySlots[k], (EntityColumn) computed[k]);
                }
            }
            out.computed = computed;
            out.size = size;
            out.version++;
            budget.check();
            more = next.push(out);
        }
        // The values of lists belong to the next operators now.
        for (int i = keys.length; i < computed.length; i++) {
            computed[i].reset(0);
        }
        next.finish();
    }
}
