package service.projection.query.operator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.projection.query.plan.ClosedHop;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * Follows two hops that meet in a node: for each row it intersects the neighbours of the two nodes that are bound. Both
 * lists ascend. Lists of similar length are merged; in a list that is much longer than the other one the next member is
 * found by steps of doubled length. When the view cannot give the lists of both hops, the first hop is enumerated and
 * the second one tested for each of its rows, by two {@link ExpandOperator}s.
 *
 * <p>The members of both lists count as examined. That is less than an enumeration examines, so a query near its
 * {@code work_limit} may fail without blocks and succeed with them.
 */
public final class IntersectOperator extends Operator {
    /** A list that is longer than the other one by this factor is searched instead of read. */
    private static final int SEARCHED = 16;

    private final ExecutionBudget budget;
    private final Side first;
    private final Side second;
    private final int met;
    private final int metType;
    private final int[] carried;
    private final boolean metLive;
    private final Operator enumerating;
    private final Operator next;
    private final Batch out;
    private final int[] rows;
    private final int[] common;
    private int found;

    /** The neighbours of one of the two nodes. */
    private static final class Side {
        private final ExecutionBudget budget;
        private final int slot;
        private final Node.Step step;
        private final EntityColumn one;
        private final ExpandBatch batch;

        /** The list of the node that was read last: {@code nodes[from]} to {@code nodes[to - 1]}. */
        private int[] nodes = {};

        private int from;
        private int to;

        /** A list that was read from the tables, and its node. */
        private int[] copied = {};

        private int copiedSize;
        private int copiedNode = -1;

        Side(ExecutionBudget budget, int slot, Node.Step step) {
            this.batch = budget.expandBatch(false);
            this.one = budget.own(new EntityColumn());
            this.budget = budget;
            this.slot = slot;
            this.step = step;
        }

        GraphView.@Nullable Runs runs(int size) {
            return budget.view.runs(step.lane().identity(), step.direction(), size);
        }

        /** Finds the list of the node in a row; false when it is empty. */
        boolean find(GraphView.Runs runs, EntityColumn column, int row) {
            if (column.isNull(row) || column.types[row] != step.nearType()) {
                return false;
            }
            int node = column.ordinals[row];
            from = runs.start(node);
            if (from >= 0) {
                nodes = runs.nodes();
                to = runs.end(node);
            } else {
                if (node != copiedNode) {
                    copy(node);
                }
                nodes = copied;
                from = 0;
                to = copiedSize;
            }
            return from < to;
        }

        private void copy(int node) {
            copiedSize = 0;
            copiedNode = node;
            one.set(0, step.nearType(), node, EntityColumn.NO_RECORD);
            try (GraphView.Expansion expansion = budget.view.expand(step.lane().identity(), step.direction(), one, 1)) {
                while (expansion.next(batch)) {
                    if (copied.length - copiedSize < batch.size) {
                        int grown = Math.max(2 * copied.length, copiedSize + batch.size);
                        int before = copied.length;
                        budget.charge((long) Integer.BYTES * grown);
                        copied = Arrays.copyOf(copied, grown);
                        budget.release((long) Integer.BYTES * before);
                    }
                    System.arraycopy(batch.neighbours, 0, copied, copiedSize, batch.size);
                    copiedSize += batch.size;
                }
            }
        }
    }

    /** @param enumerating pushes to the same operator */
    public IntersectOperator(ClosedHop hop, Operator enumerating, Downstream down) {
        this.budget = down.budget();
        this.common = budget.rowNumbers();
        this.rows = budget.rowNumbers();
        Node.Step open = hop.open().steps().getFirst();
        this.first = new Side(budget, hop.open().near(), open);
        this.second = new Side(budget, hop.other(), hop.step());
        this.met = hop.open().far().slot();
        this.metType = open.farType();
        this.carried = down.carriedSlots(met);
        this.metLive = down.reads(met);
        this.enumerating = enumerating;
        this.next = down.next();
        this.out = down.batch();
    }

    @Override
    public boolean push(Batch batch) {
        GraphView.Runs ofFirst = first.runs(batch.size);
        GraphView.Runs ofSecond = second.runs(batch.size);
        if (ofFirst == null || ofSecond == null) {
            return enumerating.push(batch);
        }
        // A copied list is valid for one batch only, because the view may read another block for the next one.
        first.copiedNode = -1;
        second.copiedNode = -1;
        EntityColumn near = batch.slot(first.slot);
        EntityColumn other = batch.slot(second.slot);
        found = 0;
        for (int row = 0; row < batch.size; row++) {
            if (first.find(ofFirst, near, row) && second.find(ofSecond, other, row) && !intersect(batch, row)) {
                return false;
            }
        }
        return found == 0 || emit(batch);
    }

    private boolean intersect(Batch batch, int row) {
        boolean firstIsShort = first.to - first.from <= second.to - second.from;
        Side shorter = firstIsShort ? first : second;
        Side longer = firstIsShort ? second : first;
        int few = shorter.to - shorter.from;
        int many = longer.to - longer.from;
        budget.examined(few);
        if (many / SEARCHED > few) {
            return search(batch, row, shorter, longer);
        }
        budget.examined(many);
        return merge(batch, row, shorter, longer);
    }

    private boolean merge(Batch batch, int row, Side shorter, Side longer) {
        int[] few = shorter.nodes;
        int[] many = longer.nodes;
        int i = shorter.from;
        int j = longer.from;
        int last = -1;
        while (i < shorter.to && j < longer.to) {
            int one = few[i];
            int two = many[j];
            if (one == two && one != last) {
                last = one;
                if (!take(batch, row, one)) {
                    return false;
                }
            }
            i += one <= two ? 1 : 0;
            j += two <= one ? 1 : 0;
        }
        return true;
    }

    private boolean search(Batch batch, int row, Side shorter, Side longer) {
        int[] few = shorter.nodes;
        int[] many = longer.nodes;
        int at = longer.from;
        int last = -1;
        for (int i = shorter.from; i < shorter.to && at < longer.to; i++) {
            int wanted = few[i];
            if (wanted == last) {
                continue;
            }
            last = wanted;
            at = atLeast(many, at, longer.to, wanted);
            if (at < longer.to && many[at] == wanted && !take(batch, row, wanted)) {
                return false;
            }
        }
        return true;
    }

    /** The first index from {@code from} on whose member is not below the wanted one; {@code to} when all are. */
    static int atLeast(int[] members, int from, int to, int wanted) {
        int low = from;
        int step = 1;
        while (low < to && members[low] < wanted) {
            from = low + 1;
            low += Math.min(step, to - low);
            step <<= 1;
        }
        // The members below `from` are less than the wanted one; the member at `low` is not.
        int high = low;
        while (from < high) {
            int middle = (from + high) >>> 1;
            if (members[middle] < wanted) {
                from = middle + 1;
            } else {
                high = middle;
            }
        }
        return from;
    }

    private boolean take(Batch batch, int row, int node) {
        rows[found] = row;
        common[found] = node;
        found++;
        return found < Column.CAPACITY || emit(batch);
    }

    private boolean emit(Batch batch) {
        out.clear(carried);
        for (int slot : carried) {
            out.gather(batch, slot, rows, found);
        }
        if (metLive) {
            ExpandOperator.fill(out.own(met), metType, common, found);
        }
        out.size = found;
        found = 0;
        return next.push(out);
    }

    @Override
    public void finish() {
        enumerating.finish();
    }
}
