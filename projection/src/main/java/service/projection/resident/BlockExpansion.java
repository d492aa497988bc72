package service.projection.resident;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.core.schema.Lane;
import service.core.value.Direction;
import service.projection.view.HopRows;

/**
 * Copies the runs of clean nodes from a block, and walks the tables for each other node. Edges to one node are searched
 * in the run, which ascends.
 *
 * <p>Nodes are far apart in the block, so the processor waits for memory at each. The runs of all nodes are looked up
 * in one loop without branches that depend on them, and so are the members of short runs: then it waits for many at a
 * time. Nodes without neighbours are left out before, where there are many.
 */
final class BlockExpansion implements GraphView.Expansion {
    private static final int WALKED = -1;

    /** Longer runs are copied by themselves. */
    private static final int SHORT_RUN = 16;

    private final ResidentView view;
    private final Kept kept;
    private final Block.Neighbours block;
    private final @Nullable PackedInts edges;
    private final int nearType;
    private final Direction direction;
    private final EntityColumn nodes;
    private final @Nullable EntityColumn farEnds;
    private final int farType;
    private final int size;
    private final EntityColumn one = new EntityColumn();
    private GraphView.@Nullable Expansion walk;

    /** The rows that have runs. */
    private final int[] rows;

    /** For each of them the run of its node; it begins at {@link #WALKED} for a node that is walked in the tables. */
    private final int[] starts;

    private final int[] ends;
    private int runs;
    private int run = -1;

    /** Whether each run has one member, as those to the one end of a relation. */
    private boolean areSingle;

    /** The row of the run. */
    private int row = -1;

    private int at;
    private int end;
    private int returned = -1;

    /**
     * Begins one.
     *
     * @param kept has a block of neighbours, with edges when they are wanted
     */
    BlockExpansion(ResidentView view, Kept kept, boolean withEdges, Lane lane, Direction direction, HopRows rows) {
        this.view = view;
        this.kept = kept;
        this.block = (Block.Neighbours) kept.block();
        this.edges = withEdges ? Objects.requireNonNull(block.edges()) : null;
        this.nearType = lane.near(direction);
        this.farType = lane.far(direction);
        this.direction = direction;
        this.nodes = rows.nodes();
        this.farEnds = rows.ends();
        this.size = rows.size();
        this.rows = new int[size];
        this.starts = new int[size];
        this.ends = new int[size];
        findRuns();
    }

    private void findRuns() {
        int[] all = block.starts();
        int[] ordinals = nodes.ordinals;
        DirtySet dirty = kept.dirty();
        if (dirty.marked() == 0 && areAllInBlock(dirty.bound())) {
            findSome();
            int others = 0;
            for (int i = 0; i < runs; i++) {
                int node = ordinals[rows[i]];
                starts[i] = all[node];
                ends[i] = all[node + 1];
                others |= ends[i] - starts[i] ^ 1;
            }
            areSingle = others == 0;
            return;
        }
        for (int i = 0; i < size; i++) {
            if (nodes.types[i] != nearType || nodes.isNull(i) || !mayEnd(i)) {
                continue;
            }
            boolean isClean = dirty.isClean(ordinals[i]);
            rows[runs] = i;
            starts[runs] = isClean ? all[ordinals[i]] : WALKED;
            ends[runs] = isClean ? all[ordinals[i] + 1] : 0;
            runs++;
        }
    }

    /** Takes the rows whose nodes may have neighbours. */
    private void findSome() {
        long[] some = block.some();
        int n = 0;
        if (some == null) {
            for (; n < size; n++) {
                rows[n] = n;
            }
        } else {
            int[] ordinals = nodes.ordinals;
            for (int i = 0; i < size; i++) {
                rows[n] = i;
                n += (int) (some[ordinals[i] >>> 6] >>> ordinals[i] & 1L);
            }
        }
        runs = n;
    }

    /** Whether each row has a node whose neighbours the block knows, but for dirty ones. */
    @SuppressWarnings("ShortCircuitBoolean") // the loop has no branch, so that waits for memory overlap
    private boolean areAllInBlock(int bound) {
        if (farEnds != null || nodes.hasNulls()) {
            return false;
        }
        boolean areAll = true;
        for (int i = 0; i < size; i++) {
            areAll &= nodes.types[i] == nearType & nodes.ordinals[i] < bound;
        }
        return areAll;
    }

    @Override
    public boolean next(ExpandBatch into) {
        if (areSingle) {
            return nextSingle(into);
        }
        int filled = 0;
        int copied = 0;
        while (filled < Column.CAPACITY) {
            if (walk != null) {
                // The walk fills a batch from its beginning.
                if (filled > 0) {
                    break;
                }
                if (walk.next(into)) {
                    Arrays.fill(into.inputRows, 0, into.size, row);
                    returned = row;
                    return true;
                }
                endWalk();
                continue;
            }
            if (at == end) {
                if (!nextRow()) {
                    break;
                }
                continue;
            }
            int n = Math.min(end - at, Column.CAPACITY - filled);
            if (n > SHORT_RUN) {
                copyMembers(into, copied, filled);
                copyRun(into, filled, n);
                copied = filled + n;
            } else {
                for (int i = 0; i < n; i++) {
                    into.inputRows[filled + i] = row;
                    into.neighbours[filled + i] = at + i;
                }
            }
            at += n;
            filled += n;
        }
        copyMembers(into, copied, filled);
        into.size = filled;
        if (filled > 0) {
            returned = into.inputRows[filled - 1];
        }
        return filled > 0;
    }

    private boolean nextSingle(ExpandBatch into) {
        int first = run + 1;
        int filled = Math.min(runs - first, Column.CAPACITY);
        System.arraycopy(rows, first, into.inputRows, 0, filled);
        System.arraycopy(starts, first, into.neighbours, 0, filled);
        copyMembers(into, 0, filled);
        into.size = filled;
        run += filled;
        return filled > 0;
    }

    /** Copies members from the place where this stands. */
    private void copyRun(ExpandBatch into, int filled, int count) {
        Arrays.fill(into.inputRows, filled, filled + count, row);
        System.arraycopy(block.nodes(), at, into.neighbours, filled, count);
        if (edges != null) {
            for (int i = 0; i < count; i++) {
                into.edges[filled + i] = edges.get(at + i);
            }
        }
    }

    /** Copies the members whose places in the block are there instead of neighbours. */
    private void copyMembers(ExpandBatch into, int from, int to) {
        int[] members = block.nodes();
        if (edges != null) {
            for (int i = from; i < to; i++) {
                into.edges[i] = edges.get(into.neighbours[i]);
            }
        }
        for (int i = from; i < to; i++) {
            into.neighbours[i] = members[into.neighbours[i]];
        }
    }

    /** Begins with the next row that may have neighbours; false at the end. */
    @SuppressWarnings("MustBeClosedChecker") // closed by endWalk()
    private boolean nextRow() {
        while (++run < runs) {
            row = rows[run];
            at = starts[run];
            end = ends[run];
            if (at == WALKED) {
                at = 0;
                one.set(0, nearType, nodes.ordinals[row], EntityColumn.NO_RECORD);
                int lane = kept.part().type();
                view.missedHops(lane, direction, edges != null, 1);
                walk = walk(lane);
                return true;
            }
            if (farEnds != null && at < end) {
                narrow(farEnds.ordinals[row]);
            }
            if (at < end) {
                return true;
            }
        }
        run = runs;
        at = end;
        return false;
    }

    /** Whether the row has an end that the edges may have. */
    private boolean mayEnd(int of) {
        return farEnds == null || (!farEnds.isNull(of) && farEnds.types[of] == farType);
    }

    /** Narrows the run to the edges to a node. */
    private void narrow(int node) {
        int[] members = block.nodes();
        int first = Arrays.binarySearch(members, at, end, node);
        if (first < 0) {
            at = end;
            return;
        }
        int last = first + 1;
        while (first > at && members[first - 1] == node) {
            first--;
        }
        while (last < end && members[last] == node) {
            last++;
        }
        at = first;
        end = last;
    }

    @MustBeClosed
    private GraphView.Expansion walk(int edgeType) {
        if (farEnds == null) {
            return view.tables().expand(edgeType, direction, one, 1);
        }
        EntityColumn oneEnd = new EntityColumn();
        oneEnd.set(0, farType, farEnds.ordinals[row], EntityColumn.NO_RECORD);
        return view.tables().expandTo(edgeType, direction, one, oneEnd, 1);
    }

    @Override
    public void skipRow() {
        if (row == returned) {
            at = end;
            endWalk();
        }
    }

    private void endWalk() {
        if (walk != null) {
            walk.close();
            walk = null;
        }
    }

    @Override
    public void close() {
        endWalk();
    }
}
