package service.projection.query.operator;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.value.Value;
import service.projection.query.kernel.Kernel;
import service.projection.query.plan.Node;
import service.projection.query.plan.StoredForm;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** Finds for each row the entities of one type whose id or indexed property equals a value of the row. */
public final class LookupOperator extends Operator {
    private final ExecutionBudget budget;
    private final Node.Lookup node;
    private final Kernel key;
    private final BlockOperators.@Nullable Marker marker;
    private final int[] carried;
    private final boolean read;
    private final Operator next;
    private final Batch out;
    private final EntityColumn found;
    private final int[] rows;
    private final int[] ordinals;
    private int size;

    /**
     * @param marker marks the outer rows that need no more rows; null outside of blocks that stop at the first match
     */
    public LookupOperator(Node.Lookup node, Kernel key, BlockOperators.@Nullable Marker marker, Downstream down) {
        this.budget = down.budget();
        this.node = node;
        this.key = key;
        this.marker = marker;
        this.carried = down.carriedSlots(node.slot());
        this.read = down.reads(node.slot());
        this.next = down.next();
        this.out = down.batch();
        this.found = budget.own(new EntityColumn());
        this.rows = budget.rowNumbers();
        this.ordinals = budget.rowNumbers();
    }

    @Override
    public boolean push(Batch batch) {
        Column keys = key.eval(batch);
        size = 0;
        for (int row = 0; row < batch.size; row++) {
            boolean wanted = marker == null || !marker.marks[batch.tags[row]];
            if (wanted && !keys.isNull(row) && !look(batch, row, ColumnValues.value(keys, row))) {
                return false;
            }
        }
        return flush(batch);
    }

    /** Adds the entities for a row; false when no more rows are needed. */
    private boolean look(Batch batch, int row, Value value) {
        if (node.index() < 0) {
            budget.examined(1);
            int ordinal = budget.view.lookup(node.type(), ((Value.Text) value).value());
            return ordinal < 0 || add(batch, row, ordinal);
        }
        Value stored = StoredForm.of(node.property(), value);
        if (stored == null) {
            return true;
        }
        try (GraphView.Scan scan = budget.view.seek(IndexRange.equal(node.index(), List.of(stored)))) {
            for (int n = scan.next(found); n > 0; n = scan.next(found)) {
                budget.examined(n);
                for (int i = 0; i < n; i++) {
                    if (!add(batch, row, found.ordinals[i])) {
                        return false;
                    }
                }
            }
        }
        budget.step();
        return true;
    }

    private boolean add(Batch batch, int row, int ordinal) {
        rows[size] = row;
        ordinals[size++] = ordinal;
        return size < Column.CAPACITY || flush(batch);
    }

    private boolean flush(Batch batch) {
        if (size == 0) {
            return true;
        }
        out.clear(carried);
        out.append(batch, rows, size, carried);
        if (read) {
            ExpandOperator.fill(out.own(node.slot()), node.type(), ordinals, size);
        }
        size = 0;
        return next.push(out);
    }

    @Override
    public void finish() {
        next.finish();
    }
}
