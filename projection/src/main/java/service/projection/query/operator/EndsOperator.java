package service.projection.query.operator;

import java.util.Set;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * Binds the end nodes of edges that were found without them, by a scan or an index. An undirected traversal gives two
 * rows for an edge, one for each orientation, and one row for a self-loop.
 */
public final class EndsOperator extends Operator {
    private final ExecutionBudget budget;
    private final Node.Ends node;
    private final Set<Integer> fromTypes;
    private final Set<Integer> toTypes;
    private final int[] carried;
    private final boolean fromLive;
    private final boolean toLive;
    private final Operator next;
    private final Batch out;
    private final EntityColumn sources;
    private final EntityColumn destinations;
    private final int[] row = new int[1];

    public EndsOperator(Node.Ends node, Downstream down) {
        this.budget = down.budget();
        this.destinations = budget.own(new EntityColumn());
        this.sources = budget.own(new EntityColumn());
        this.node = node;
        this.fromTypes = Set.copyOf(node.fromTypes());
        this.toTypes = Set.copyOf(node.toTypes());
        this.carried = down.carriedSlots(node.from(), node.to());
        this.fromLive = down.reads(node.from());
        this.toLive = down.reads(node.to()) && node.to() != node.from();
        this.next = down.next();
        this.out = down.batch();
    }

    @Override
    public boolean push(Batch batch) {
        EntityColumn edges = batch.slot(node.edge());
        budget.view.endpoints(edges, batch.size, sources, destinations);
        budget.examined(batch.size);
        clear();
        for (int r = 0; r < batch.size; r++) {
            int from = sources.types[r];
            int to = destinations.types[r];
            boolean loop = from == to && sources.ordinals[r] == destinations.ordinals[r];
            boolean more = give(batch, r, from, sources.ordinals[r], to, destinations.ordinals[r]);
            if (more && node.undirected() && !loop) {
                more = give(batch, r, to, destinations.ordinals[r], from, sources.ordinals[r]);
            }
            if (!more) {
                return false;
            }
        }
        return flush();
    }

    private boolean give(Batch batch, int r, int fromType, int fromOrdinal, int toType, int toOrdinal) {
        boolean fits = fromTypes.contains(fromType) && toTypes.contains(toType);
        boolean asked = node.from() != node.to() || (fromType == toType && fromOrdinal == toOrdinal);
        if (!fits || !asked) {
            return true;
        }
        if (fromLive) {
            out.own(node.from()).set(out.size, fromType, fromOrdinal, EntityColumn.NO_RECORD);
        }
        if (toLive) {
            out.own(node.to()).set(out.size, toType, toOrdinal, EntityColumn.NO_RECORD);
        }
        row[0] = r;
        out.append(batch, row, 1, carried);
        return out.size < Column.CAPACITY || flush();
    }

    private boolean flush() {
        boolean more = out.size == 0 || next.push(out);
        clear();
        return more;
    }

    private void clear() {
        out.clear(carried);
        if (fromLive) {
            out.own(node.from()).reset(0);
        }
        if (toLive) {
            out.own(node.to()).reset(0);
        }
    }

    @Override
    public void finish() {
        next.finish();
    }
}
