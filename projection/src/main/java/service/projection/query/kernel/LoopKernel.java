package service.projection.query.kernel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.ValueColumn;
import service.core.gq.plan.Expression.LoopKind;
import service.core.gq.plan.LoopResult;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.projection.query.vector.Batch;
import service.projection.query.vector.Batches;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/**
 * A loop over the lists of a batch. The items of all rows go through the body in batches of their own: each with its
 * item and what the body reads of the row that the item belongs to.
 */
final class LoopKernel extends Kernel {
    /**
     * What is evaluated for an item.
     *
     * @param depth the place of the item among {@link Batch#locals}
     * @param items for the items of a batch
     * @param slots that the kernels read
     */
    record Body(int depth, Column items, Kernel where, Kernel map, int[] slots) {}

    private final ExecutionBudget budget;
    private final LoopKind kind;
    private final Kernel list;
    private final Body body;
    private final Column result;
    private final Batch inner;
    private final Batch kept;
    private final int[] rows;
    private final int[] chosen;

    /** The items of the loops around this one, for the rows of {@link #inner}. */
    private Column[] outer = {};

    /** What has been made for each row of the current batch, and the bytes charged for it. */
    private @Nullable List<Value>[] made;

    private LoopResult[] truths = {};
    private long charged;

    @SuppressWarnings({"unchecked", "rawtypes"})
    LoopKernel(LoopKind kind, Kernel list, Body body, Column result, Batches batches) {
        super(list, body.where, body.map);
        this.budget = batches.budget();
        this.kind = kind;
        this.list = list;
        this.body = body;
        this.result = result;
        this.inner = batches.make();
        this.kept = batches.make();
        this.rows = budget.rowNumbers();
        this.chosen = budget.rowNumbers();
        this.made = new List[0];
    }

    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    public Column eval(Batch batch) {
        ValueColumn lists = (ValueColumn) list.eval(batch);
        result.reset(batch.size);
        made = new List[kind == LoopKind.LIST ? batch.size : 0];
        truths = new LoopResult[kind == LoopKind.LIST ? 0 : batch.size];
        body.items.reset(0);
        int n = 0;
        for (int row = 0; row < batch.size; row++) {
            if (lists.isNull(row)) {
                result.setNull(row);
                continue;
            }
            begin(row);
            for (Value item : ((Value.ListOf) lists.values[row]).items()) {
                if (n == Column.CAPACITY) {
                    run(batch, n);
                    n = 0;
                }
                rows[n] = row;
                body.items.makeRoom(n + 1);
                ColumnValues.set(body.items, n, item);
                n++;
            }
        }
        if (n > 0) {
            run(batch, n);
        }
        end(batch.size);
        return result;
    }

    private void begin(int row) {
        if (kind == LoopKind.LIST) {
            made[row] = new ArrayList<>();
        } else {
            truths[row] = new LoopResult(kind);
        }
    }

    /** Runs the body on the items that are collected. */
    private void run(Batch batch, int n) {
        budget.examined(n);
        inner.locals = outer;
        inner.take(batch, rows, n, body.slots);
        outer = inner.locals;
        inner.locals = Arrays.copyOf(outer, body.depth + 1);
        inner.locals[body.depth] = body.items;
        BoolColumn holds = body.where.test(inner);
        if (kind == LoopKind.LIST) {
            collect(holds, n);
        } else {
            for (int i = 0; i < n; i++) {
                truths[rows[i]].add(!holds.isNull(i), holds.values[i]);
            }
        }
        body.items.reset(0);
    }

    private void collect(BoolColumn holds, int n) {
        int count = holds.trueRows(n, chosen);
        if (count == 0) {
            return;
        }
        if (count < n) {
            kept.take(inner, chosen, count, body.slots);
        }
        Column values = body.map.eval(count < n ? kept : inner);
        for (int i = 0; i < count; i++) {
            Value value = ColumnValues.value(values, i);
            long bytes = HeapBytes.of(value) + 2L * HeapBytes.REFERENCE;
            budget.charge(bytes);
            charged += bytes;
            List<Value> into = made[rows[chosen[i]]];
            if (into != null) {
                into.add(value);
            }
        }
    }

    /** Fills the column, which is charged for the lists from now on. */
    private void end(int size) {
        for (int row = 0; row < size; row++) {
            if (!result.isNull(row)) {
                List<Value> items = kind == LoopKind.LIST ? made[row] : null;
                ColumnValues.set(result, row, items != null ? new Value.ListOf(items) : truths[row].value());
            }
        }
        made = Arrays.copyOf(made, 0);
        budget.release(charged);
        charged = 0;
    }
}
