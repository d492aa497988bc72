package service.projection.view;

import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.core.schema.Lane;
import service.core.value.Direction;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.projection.table.AdjacencyTable;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;
import service.projection.temporal.TemporalCursor;

/**
 * Walks the neighbours of each input row, or its edges to one node, which takes one seek. When rows ascend, the entry
 * at which the cursor stopped shows without a seek whether the next node begins there or has no neighbours.
 */
final class AdjacencyExpansion implements GraphView.Expansion {
    private final TableAccess access;
    private boolean closed;
    private final ProjectionTable table;
    private final TemporalCursor cursor;
    private final KeyBuffer scope;
    private final int lane;
    private final int nearType;
    private final int farType;
    private final EntityColumn nodes;
    private final @Nullable EntityColumn ends;
    private final int size;

    private int row = -1;
    private boolean within;
    private boolean walked;
    private int walkedNode;

    AdjacencyExpansion(TableAccess access, Chain chain, Lane lane, Direction direction, HopRows rows) {
        this.access = access;
        this.table = direction == Direction.OUT ? ProjectionTable.OUT : ProjectionTable.IN;
        this.scope = access.takeKey();
        this.cursor = access.temporal(table, chain);
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
            if (AdjacencyTable.live(cursor.valueAddress())) {
                long member = cursor.memberAddress();
                into.inputRows[filled] = row;
                into.neighbours[filled] = MappedBytes.keyIntAt(member + AdjacencyTable.NEIGHBOUR);
                if (into.withEdges) {
                    into.edges[filled] = MappedBytes.keyIntAt(member + AdjacencyTable.EDGE);
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
        // The cursor is inside the entries of a node, so the next node needs a seek.
        walked = false;
    }

    private boolean nextRow() {
        while (++row < size) {
            if (nodes.isNull(row) || nodes.types[row] != nearType) {
                continue;
            }
            if (ends == null ? enter(nodes.ordinals[row]) : enter(nodes.ordinals[row], ends)) {
                within = true;
                return true;
            }
        }
        row = size;
        return false;
    }

    private boolean enter(int node, EntityColumn to) {
        if (to.isNull(row) || to.types[row] != farType) {
            return false;
        }
        AdjacencyTable.pair(scope, lane, node, to.ordinals[row]);
        cursor.seek(scope, AdjacencyTable.PAIR_SCOPE);
        return true;
    }

    private boolean enter(int node) {
        AdjacencyTable.scope(scope, lane, node);
        if (walked && node > walkedNode) {
            long at = cursor.standingAt();
            if (at == 0 || MappedBytes.keyIntAt(at) != lane) {
                return false;
            }
            int standing = MappedBytes.keyIntAt(at + Integer.BYTES);
            if (standing > node) {
                return false;
            }
            if (standing == node) {
                walkedNode = node;
                cursor.rescope(scope, AdjacencyTable.NODE_SCOPE);
                return true;
            }
        }
        walked = true;
        walkedNode = node;
        cursor.seek(scope, AdjacencyTable.NODE_SCOPE);
        return true;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        access.release(table, cursor);
        access.give(scope);
    }
}
