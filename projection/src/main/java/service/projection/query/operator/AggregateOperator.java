package service.projection.query.operator;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.gq.plan.Expression;
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
    private final List<Aggregation> aggregations;

    private final Operator next;
    private final Batch out;
    private final RowStore keyRows;
    private final Batch keyBatch;
    /** Null without keys: all rows are one group. */
    private final @Nullable RowNumbers numbers;

    private final int[] groups;
    private int groupCount;

    /**
     * @param keySlots for each key, the slot that receives its entities; −1 for none
     * @param aggregations one for each aggregate
     */
    public AggregateOperator(
            Kernel[] keys,
            int[] keySlots,
            List<Expression.Aggregate> aggregates,
            List<Aggregation> aggregations,
            Downstream down) {
        this.budget = down.budget();
        this.groups = budget.rowNumbers();
        this.keys = keys;
        this.keySlots = keySlots;
        this.aggregates = aggregates;
        this.aggregations = aggregations;
        this.next = down.next();
        this.out = down.batch();
        this.keyBatch = new Batch(budget, 0);
        this.keyRows = new RowStore(budget, new int[0]);
        this.numbers = keys.length == 0 ? null : new RowNumbers(budget, keys.length);
        keyBatch.computed = new Column[keys.length];
        if (keys.length == 0) {
            groupCount = 1;
        }
        aggregations.forEach(aggregation -> aggregation.ensure(1));
    }

    @Override
    public boolean push(Batch batch) {
        if (numbers != null) {
            number(batch, numbers);
        }
        for (Aggregation aggregation : aggregations) {
            aggregation.ensure(groupCount);
            if (keys.length == 0) {
                aggregation.addToOne(groups, batch);
            } else {
                aggregation.add(groups, batch);
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
        Column[] computed = new Column[keys.length + aggregations.size()];
        System.arraycopy(keyRows.computedSiblings(), 0, computed, 0, groupCount == 0 ? 0 : keys.length);
        for (int i = 0; i < aggregations.size(); i++) {
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
                for (int a = 0; a < aggregations.size(); a++) {
                    aggregations.get(a).result(from + i, computed[keys.length + a], i);
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
