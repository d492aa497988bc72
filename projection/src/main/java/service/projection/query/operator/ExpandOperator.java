package service.projection.query.operator;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.core.value.Direction;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.LongTable;

/**
 * Follows one hop. Without an edge slot each pair of near and far node is given once: the view returns parallel edges
 * next to each other, so comparing with the previous row finds repeats. A set of the pairs of the current batch is kept
 * only when several steps can find the same pair. Columns that no downstream operator reads are not filled, so counting
 * neighbours fills none.
 */
public final class ExpandOperator extends Operator {
    private final ExecutionBudget budget;
    private final Node.Expand node;
    private final Step[] steps;
    private final int[] carried;
    private final boolean farLive;
    private final boolean edgeLive;
    private final @Nullable LongTable pairs;
    private final BlockOperators.@Nullable Marker marker;
    private final Operator next;
    private final Batch out;
    private final ExpandBatch found;
    private final int[] rows;
    private int lastRow;
    private int lastFar;

    private record Step(int lane, int edgeType, Direction direction, int farType, boolean skipLoops) {}

    /**
     * @param marker marks the outer rows that need no more rows; null outside of blocks that stop at the first match
     */
    public ExpandOperator(Node.Expand node, BlockOperators.@Nullable Marker marker, Downstream down) {
        this.budget = down.budget();
        this.rows = budget.rowNumbers();
        this.marker = marker;
        this.node = node;
        this.carried = down.carriedSlots(node.far().newSlot(), node.edge());
        this.farLive = down.reads(node.far().newSlot());
        this.edgeLive = down.reads(node.edge());
        this.found = budget.expandBatch(edgeLive);
        this.next = down.next();
        this.out = down.batch();
        this.steps = steps(node);
        this.pairs = node.edge() < 0 && steps.length > 1 ? new LongTable(budget) : null;
    }

    private static Step[] steps(Node.Expand node) {
        List<Node.Step> all = node.steps();
        Step[] steps = new Step[all.size()];
        for (int i = 0; i < steps.length; i++) {
            Node.Step step = all.get(i);
            // Both directions find a self-loop; IN must skip it, because OUT has given it.
            boolean skipLoops = node.undirected() && step.direction() == Direction.IN;
            steps[i] = new Step(step.lane().identity(), step.edgeType(), step.direction(), step.farType(), skipLoops);
        }
        return steps;
    }

    @Override
    public boolean push(Batch batch) {
        if (pairs != null) {
            pairs.clear();
        }
        EntityColumn near = batch.slot(node.near());
        for (Step step : steps) {
            lastRow = -1;
            lastFar = -1;
            try (GraphView.Expansion expansion = node.far().bound()
                    ? budget.view.expandTo(
                            step.lane,
                            step.direction,
                            near,
                            batch.slot(node.far().slot()),
                            batch.size)
                    : budget.view.expand(step.lane, step.direction, near, batch.size)) {
                while (expansion.next(found)) {
                    budget.examined(found.size);
                    int kept = isPlain(step) ? keepPlain() : keep(step, batch, near);
                    int last = found.inputRows[found.size - 1];
                    if (kept > 0 && !emit(step, batch, kept)) {
                        return false;
                    }
                    if (marker != null && marker.marks[batch.tags[last]]) {
                        expansion.skipRow();
                    }
                }
            }
        }
        return true;
    }

    private boolean isPlain(Step step) {
        return !node.far().bound() && pairs == null && (node.edge() >= 0 ? !step.skipLoops : true);
    }

    /** The common case: drops a pair equal to the previous one, or nothing when edges are bound. */
    private int keepPlain() {
        int size = found.size;
        int[] inputs = found.inputRows;
        if (node.edge() >= 0) {
            System.arraycopy(inputs, 0, rows, 0, size);
            return size;
        }
        int[] neighbours = found.neighbours;
        int previousRow = lastRow;
        int previousFar = lastFar;
        int n = 0;
        for (int i = 0; i < size; i++) {
            int row = inputs[i];
            int far = neighbours[i];
            if (row != previousRow || far != previousFar) {
                rows[n] = row;
                neighbours[n] = far;
                n++;
                previousRow = row;
                previousFar = far;
            }
        }
        lastRow = previousRow;
        lastFar = previousFar;
        return n;
    }

    private int keep(Step step, Batch batch, EntityColumn near) {
        EntityColumn bound = node.far().bound() ? batch.slot(node.far().slot()) : null;
        int n = 0;
        for (int i = 0; i < found.size; i++) {
            int row = found.inputRows[i];
            int far = found.neighbours[i];
            if (node.edge() < 0) {
                if (row == lastRow && far == lastFar) {
                    continue;
                }
                lastRow = row;
                lastFar = far;
            } else if (step.skipLoops && near.ordinals[row] == far && near.types[row] == step.farType) {
                continue;
            }
            if (bound != null
                    && (bound.isNull(row) || bound.ordinals[row] != far || bound.types[row] != step.farType)) {
                continue;
            }
            if (pairs != null && !isNewPair(step, row, far)) {
                continue;
            }
            rows[n] = row;
            found.neighbours[n] = far;
            if (edgeLive) {
                found.edges[n] = found.edges[i];
            }
            n++;
        }
        return n;
    }

    /** Encodes a pair as its row (10 bits), the index of the far type, and the far ordinal. */
    private boolean isNewPair(Step step, int row, int far) {
        LongTable seen = java.util.Objects.requireNonNull(pairs);
        int before = seen.size();
        long type = node.far().types().indexOf(step.farType);
        return seen.add((type << 10 | row) << 32 | far) == before;
    }

    private boolean emit(Step step, Batch batch, int n) {
        out.clear(carried);
        for (int slot : carried) {
            out.gather(batch, slot, rows, n);
        }
        if (farLive) {
            fill(out.own(node.far().slot()), step.farType, found.neighbours, n);
        }
        if (edgeLive) {
            fill(out.own(node.edge()), step.edgeType, found.edges, n);
        }
        out.tag(batch.tags, rows, n);
        out.size = n;
        return next.push(out);
    }

    static void fill(EntityColumn column, int type, int[] ordinals, int n) {
        column.reset(n);
        java.util.Arrays.fill(column.types, 0, n, type);
        java.util.Arrays.fill(column.records, 0, n, EntityColumn.NO_RECORD);
        System.arraycopy(ordinals, 0, column.ordinals, 0, n);
    }

    @Override
    public void finish() {
        next.finish();
    }
}
