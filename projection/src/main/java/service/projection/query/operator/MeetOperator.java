package service.projection.query.operator;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.batch.LongColumn;
import service.core.port.GraphView;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.LongTable;

/**
 * Filters rows by the number of hops between two bound nodes, and puts it into its slot where it is read. Two
 * breadth-first searches run, one from each node; each step advances the search with the smaller frontier by one level.
 *
 * <p>After <i>a</i> levels from one node and <i>b</i> from the other, all nodes within those distances are known. While
 * the two sets are disjoint, the distance is greater than <i>a</i> + <i>b</i>. So when the next level finds a node of
 * the other set, the distance is exactly <i>a</i> + <i>b</i> + 1. With <i>f</i> neighbours a node, one search of depth
 * <i>d</i> visits <i>f</i>^<i>d</i> nodes; two searches visit 2·<i>f</i>^(<i>d</i>/2).
 */
public final class MeetOperator extends Operator {
    private final ExecutionBudget budget;
    private final Node.Hops node;
    private final int[] carried;

    /** Receives the number of hops; null when it is not read. */
    private final @Nullable LongColumn length;

    private final Operator next;
    private final Batch out;
    private final int[] rows;
    private final Side near;
    private final Side far;
    private final EntityColumn frontier;
    private final ExpandBatch found;

    /** Null when edges have a direction: two searches from one node meet in its shortest cycle. */
    private final @Nullable ShortestCycle cycles;

    /** The last pair searched and its result: consecutive rows often have equal pairs. */
    private long knownNear = -1;

    private long knownFar = -1;
    private int knownHops;

    /** One search. */
    private static final class Side {
        private final List<Node.Step> steps;

        /** The nodes found so far, numbered in order; those of the last level begin at {@code edge}. */
        private final LongTable nodes;

        private int edge;

        Side(ExecutionBudget budget, List<Node.Step> steps) {
            this.steps = steps;
            this.nodes = new LongTable(budget);
        }

        void begin(long start) {
            nodes.clear();
            nodes.add(start);
            edge = 0;
        }

        int edgeSize() {
            return nodes.size() - edge;
        }
    }

    public MeetOperator(Node.Hops node, Downstream down) {
        this.budget = down.budget();
        this.found = budget.expandBatch(false);
        this.frontier = budget.own(new EntityColumn());
        this.rows = budget.rowNumbers();
        this.node = node;
        this.carried = down.carriedSlots(node.length());
        this.next = down.next();
        this.out = down.batch();
        this.length = down.reads(node.length()) ? budget.own(new LongColumn(LongColumn.Kind.INT)) : null;
        if (length != null) {
            out.put(node.length(), length);
        }
        this.near = new Side(budget, node.steps());
        this.far = new Side(budget, node.back());
        this.cycles = node.undirected() ? new ShortestCycle(budget, node.steps()) : null;
    }

    @Override
    public boolean push(Batch batch) {
        EntityColumn starts = batch.slot(node.near());
        EntityColumn ends = batch.slot(node.far().slot());
        clearOut();
        int n = 0;
        for (int r = 0; r < batch.size; r++) {
            if (starts.isNull(r) || ends.isNull(r)) {
                continue;
            }
            long start = key(starts.types[r], starts.ordinals[r]);
            long end = key(ends.types[r], ends.ordinals[r]);
            if (start != knownNear || end != knownFar) {
                knownHops = distance(start, end);
                knownNear = start;
                knownFar = end;
            }
            if (knownHops >= node.minHops()) {
                fill(n, knownHops);
                rows[n++] = r;
            }
        }
        if (n == 0) {
            return true;
        }
        out.append(batch, rows, n, carried);
        return next.push(out);
    }

    private void clearOut() {
        out.clear(carried);
        LongColumn into = length;
        if (into != null) {
            into.reset(0);
        }
    }

    private void fill(int at, int hops) {
        LongColumn into = length;
        if (into != null) {
            into.makeRoom(at + 1);
            into.values[at] = hops;
        }
    }

    /** An entity as one number, which is not negative. */
    static long key(int type, int ordinal) {
        return (long) type << 32 | ordinal;
    }

    /** The number of hops between two nodes; −1 when it exceeds the maximum. */
    private int distance(long start, long end) {
        if (start == end && node.minHops() == 0) {
            return 0;
        }
        if (start == end && cycles != null) {
            return cycles.length((int) (start >>> 32), (int) start, node.maxHops());
        }
        near.begin(start);
        far.begin(end);
        for (int hops = 1; hops <= node.maxHops(); hops++) {
            Side smaller = near.edgeSize() <= far.edgeSize() ? near : far;
            if (smaller.edgeSize() == 0) {
                return -1;
            }
            if (advance(smaller, smaller == near ? far : near)) {
                return hops;
            }
        }
        return -1;
    }

    /** Advances a search by one level; true as soon as it finds a node of the other side. */
    private boolean advance(Side side, Side other) {
        int from = side.edge;
        int to = side.nodes.size();
        side.edge = to;
        for (int at = from; at < to; at += Column.CAPACITY) {
            int size = Math.min(Column.CAPACITY, to - at);
            frontier.reset(size);
            for (int i = 0; i < size; i++) {
                long key = side.nodes.key(at + i);
                frontier.set(i, (int) (key >>> 32), (int) key, EntityColumn.NO_RECORD);
            }
            for (Node.Step step : side.steps) {
                if (expand(step, size, side, other)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean expand(Node.Step step, int size, Side side, Side other) {
        try (GraphView.Expansion expansion =
                budget.view.expand(step.lane().identity(), step.direction(), frontier, size)) {
            while (expansion.next(found)) {
                budget.examined(found.size);
                for (int i = 0; i < found.size; i++) {
                    long key = key(step.farType(), found.neighbours[i]);
                    if (other.nodes.find(key) >= 0) {
                        return true;
                    }
                    side.nodes.add(key);
                }
            }
        }
        return false;
    }

    @Override
    public void finish() {
        next.finish();
    }
}
