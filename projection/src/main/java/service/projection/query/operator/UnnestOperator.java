package service.projection.query.operator;

import service.core.batch.Column;
import service.core.batch.ValueColumn;
import service.core.gq.plan.Variable;
import service.core.value.Value;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** A row for each item of the list in a slot. A null or empty list makes none. */
public final class UnnestOperator extends Operator {
    private final ExecutionBudget budget;
    private final int slot;
    private final int[] carried;
    private final Operator next;
    private final Batch out;
    private final Column items;
    private final int[] rows;

    /** @param variable of the slot; its type is that of an item */
    public UnnestOperator(int slot, Variable variable, Downstream down) {
        this.budget = down.budget();
        this.slot = slot;
        this.carried = down.carriedSlots(slot);
        this.next = down.next();
        this.out = down.batch();
        this.items = budget.own(ColumnValues.columnFor(variable.type()));
        this.rows = budget.rowNumbers();
    }

    @Override
    public boolean push(Batch batch) {
        ValueColumn lists = (ValueColumn) batch.column(slot);
        items.reset(0);
        int n = 0;
        for (int row = 0; row < batch.size; row++) {
            if (lists.isNull(row)) {
                continue;
            }
            for (Value item : ((Value.ListOf) lists.values[row]).items()) {
                if (n == Column.CAPACITY) {
                    if (!flush(batch, n)) {
                        return false;
                    }
                    n = 0;
                }
                rows[n] = row;
                items.makeRoom(n + 1);
                ColumnValues.set(items, n, item);
                n++;
            }
        }
        return n == 0 || flush(batch, n);
    }

    private boolean flush(Batch batch, int n) {
        budget.examined(n);
        out.clear(carried);
        out.append(batch, rows, n, carried);
        out.put(slot, items);
        boolean more = next.push(out);
        items.reset(0);
        return more;
    }

    @Override
    public void finish() {
        next.finish();
    }
}
