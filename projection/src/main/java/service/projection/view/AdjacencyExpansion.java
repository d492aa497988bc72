package service.projection.view;

import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.core.schema.Lane;
import service.core.value.Direction;
import service.projection.table.NeighbourCursor;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;

/**
 * Walks the neighbours of each input row, or its edges to one node, which takes one seek, and often none when rows
 * ascend.
 */
final class AdjacencyExpansion implements GraphView.Expansion {
    private final TableAccess access;
    private boolean closed;
    private final NeighbourCursor cursor;
    private final int lane;
    private final int nearType;
    private final int farType;
    private final EntityColumn nodes;
    private final @Nullable EntityColumn ends;
    private final int size;

    private int row = -1;
    private boolean within;

    AdjacencyExpansion(TableAccess access, Chain chain, Lane lane, Direction direction, HopRows rows) {
        this.access = access;
        this.cursor = access.neighbours(direction == Direction.OUT ? ProjectionTable.OUT : ProjectionTable.IN, chain);
        this.lane = lane.identity();
        this.nearType = lane.near(direction);
        this.farType = lane.far(direction);
        this.nodes = rows.nodes();
        this.ends = rows.ends();
        this.size = rows.size();
    }

    @Override
    public boolean next(ExpandBatch into) {
        int filled = 0;
        while (filled < Column.CAPACITY) {
            if (!within && !nextRow()) {
                break;
            }
            if (!cursor.next()) {
                within = false;
                continue;
            }
            if (cursor.live()) {
                into.inputRows[filled] = row;
                into.neighbours[filled] = cursor.neighbour();
                if (into.withEdges) {
                    into.edges[filled] = cursor.edge();
                }
                filled++;
            }
        }
        into.size = filled;
        return filled > 0;
    }

    @Override
    public void skipRow() {
        within = false;
    }

    private boolean nextRow() {
        while (++row < size) {
            if (nodes.isNull(row) || nodes.types[row] != nearType) {
                continue;
            }
            if (enter()) {
                within = true;
                return true;
            }
        }
        row = size;
        return false;
    }

    private boolean enter() {
        if (ends == null) {
            cursor.seek(lane, nodes.ordinals[row]);
            return true;
        }
        if (ends.isNull(row) || ends.types[row] != farType) {
            return false;
        }
        cursor.seek(lane, nodes.ordinals[row], ends.ordinals[row]);
        return true;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        access.release(cursor);
    }
}
