package service.projection.query.operator;

import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * Follows a hop whose far end and edge are read by no later operator, and whose rows are only counted or, in a block,
 * only looked for: each row that has neighbours is passed on once, with their number as its weight. Only
 * {@link AggregateOperator} and {@link BlockValueOperator.Tally} read weights. When the view cannot count neighbours,
 * the rows are enumerated by an {@link ExpandOperator}.
 */
public final class DegreeOperator extends Operator {
    private final ExecutionBudget budget;
    private final Node.Expand node;
    private final int[] carried;
    private final int examinedMax;
    private final Operator enumerating;
    private final Operator next;
    private final Batch out;
    private final int[] degrees;
    private final int[] rows;
    private final int[] weights;
    private final EntityColumn rest;
    private final ExpandBatch found;

    /**
     * @param node with one step
     * @param firstOnly whether an enumeration would leave a row after its first neighbours
     * @param enumerating pushes to the same operator
     */
    public DegreeOperator(Node.Expand node, boolean firstOnly, Operator enumerating, Downstream down) {
        this.budget = down.budget();
        this.found = budget.expandBatch(false);
        this.rest = budget.own(new EntityColumn());
        this.weights = budget.rowNumbers();
        this.rows = budget.rowNumbers();
        this.degrees = budget.rowNumbers();
        this.node = node;
        this.carried = down.carriedSlots(node.far().newSlot(), node.edge());
        this.examinedMax = firstOnly ? Column.CAPACITY : Integer.MAX_VALUE;
        this.enumerating = enumerating;
        this.next = down.next();
        this.out = down.batch();
    }

    @Override
    public boolean push(Batch batch) {
        Node.Step step = node.steps().getFirst();
        EntityColumn near = batch.slot(node.near());
        if (!budget.view.degrees(
                step.lane().identity(), step.direction(), node.edge() < 0, near, batch.size, degrees)) {
            return enumerating.push(batch);
        }
        enumerateRest(step, near, batch.size);
        long examined = 0;
        int n = 0;
        for (int i = 0; i < batch.size; i++) {
            int degree = degrees[i];
            examined += Math.min(degree, examinedMax);
            rows[n] = i;
            weights[n] = degree;
            n += degree > 0 ? 1 : 0;
        }
        budget.steps(batch.size);
        // The same as an enumeration would examine, so that a limit does not depend on what is in memory.
        budget.examined((int) Math.min(Integer.MAX_VALUE, examined));
        return n == 0 || emit(batch, n);
    }

    /** Counts the neighbours of the rows that the view could not count. */
    private void enumerateRest(Node.Step step, EntityColumn near, int size) {
        int others = 0;
        for (int i = 0; i < size; i++) {
            others += degrees[i] < 0 ? 1 : 0;
        }
        if (others == 0) {
            return;
        }
        rest.reset(size);
        for (int i = 0; i < size; i++) {
            if (degrees[i] < 0) {
                rest.set(i, near.types[i], near.ordinals[i], near.records[i]);
                degrees[i] = 0;
            } else {
                rest.setNull(i);
            }
        }
        int lastRow = -1;
        int lastFar = -1;
        try (GraphView.Expansion expansion = budget.view.expand(step.lane().identity(), step.direction(), rest, size)) {
            while (expansion.next(found)) {
                budget.steps(found.size);
                for (int i = 0; i < found.size; i++) {
                    int row = found.inputRows[i];
                    int far = found.neighbours[i];
                    if (node.edge() >= 0 || row != lastRow || far != lastFar) {
                        degrees[row]++;
                    }
                    lastRow = row;
                    lastFar = far;
                }
            }
        }
    }

    private boolean emit(Batch batch, int n) {
        out.clear(carried);
        for (int slot : carried) {
            out.gather(batch, slot, rows, n);
        }
        out.tag(batch.tags, rows, n);
        out.weights = weights;
        out.size = n;
        return next.push(out);
    }

    @Override
    public void finish() {
        enumerating.finish();
    }
}
