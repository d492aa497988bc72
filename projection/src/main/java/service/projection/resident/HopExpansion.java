package service.projection.resident;

import com.google.errorprone.annotations.MustBeClosed;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.core.schema.Lane;
import service.core.value.Direction;
import service.projection.view.HopRows;

/**
 * Chooses between a block and the tables at the first batch, because this batch says whether edges are wanted, which
 * not every block has.
 */
final class HopExpansion implements GraphView.Expansion {
    private final ResidentView view;
    private final Lane lane;
    private final Direction direction;
    private final HopRows rows;
    private GraphView.@Nullable Expansion chosen;

    @MustBeClosed
    HopExpansion(ResidentView view, Lane lane, Direction direction, HopRows rows) {
        this.view = view;
        this.lane = lane;
        this.direction = direction;
        this.rows = rows;
    }

    @SuppressWarnings("MustBeClosedChecker") // closed by close()
    @Override
    public boolean next(ExpandBatch into) {
        GraphView.Expansion expansion = chosen;
        if (expansion == null) {
            expansion = choose(into.withEdges);
            chosen = expansion;
        }
        return expansion.next(into);
    }

    @MustBeClosed
    private GraphView.Expansion choose(boolean withEdges) {
        Kept kept = view.findHops(lane.identity(), direction, withEdges);
        if (kept != null) {
            view.hit(kept, rows.size());
            return new BlockExpansion(view, kept, withEdges, lane, direction, rows);
        }
        view.missedHops(lane.identity(), direction, withEdges, rows.size());
        EntityColumn ends = rows.ends();
        return ends == null
                ? view.tables().expand(lane.identity(), direction, rows.nodes(), rows.size())
                : view.tables().expandTo(lane.identity(), direction, rows.nodes(), ends, rows.size());
    }

    @Override
    public void skipRow() {
        if (chosen != null) {
            chosen.skipRow();
        }
    }

    @Override
    public void close() {
        if (chosen != null) {
            chosen.close();
        }
    }
}
