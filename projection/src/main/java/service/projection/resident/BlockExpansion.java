package service.projection.resident;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.Arrays;
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
 */
final class BlockExpansion implements GraphView.Expansion {
    private final ResidentView view;
    private final Kept kept;
    private final Block.Neighbours block;
    private final int nearType;
    private final Direction direction;
    private final EntityColumn nodes;
    private final @Nullable EntityColumn ends;
    private final int farType;
    private final int size;
    private final EntityColumn one = new EntityColumn();
    private GraphView.@Nullable Expansion walk;
    private int row = -1;
    private int at;
    private int end;
    private int returned = -1;

    /** @param kept has the block */
    BlockExpansion(ResidentView view, Kept kept, Block.Neighbours block, Lane lane, Direction direction, HopRows rows) {
        this.view = view;
        this.kept = kept;
        this.block = block;
        this.nearType = lane.near(direction);
        this.farType = lane.far(direction);
        this.direction = direction;
        this.nodes = rows.nodes();
        this.ends = rows.ends();
        this.size = rows.size();
    }

    @Override
    public boolean next(ExpandBatch into) {
        int filled = 0;
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
            for (int i = 0; i < n; i++) {
                into.inputRows[filled + i] = row;
                into.neighbours[filled + i] = block.nodes()[at + i];
                into.edges[filled + i] = block.edges()[at + i];
            }
            at += n;
            filled += n;
        }
        into.size = filled;
        if (filled > 0) {
            returned = into.inputRows[filled - 1];
        }
        return filled > 0;
    }

    /** Begins with the next row that may have neighbours; false at the end. */
    @SuppressWarnings("MustBeClosedChecker") // closed by endWalk()
    private boolean nextRow() {
        while (++row < size) {
            if (nodes.types[row] != nearType || nodes.isNull(row) || !mayEnd()) {
                continue;
            }
            int node = nodes.ordinals[row];
            if (kept.dirty().isClean(node)) {
                at = block.starts()[node];
                end = block.starts()[node + 1];
                if (ends != null) {
                    narrow(ends.ordinals[row]);
                }
                if (at < end) {
                    return true;
                }
            } else {
                at = 0;
                end = 0;
                one.set(0, nearType, node, EntityColumn.NO_RECORD);
                Part part = kept.part();
                view.missed(part.kind(), part.type(), 0, nearType, 1);
                walk = walk(part.type());
                return true;
            }
        }
        row = size;
        at = end;
        return false;
    }

    /** Whether the row has an end that the edges may have. */
    private boolean mayEnd() {
        return ends == null || (!ends.isNull(row) && ends.types[row] == farType);
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
        if (ends == null) {
            return view.tables().expand(edgeType, direction, one, 1);
        }
        EntityColumn oneEnd = new EntityColumn();
        oneEnd.set(0, farType, ends.ordinals[row], EntityColumn.NO_RECORD);
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
