package service.core.graph.check;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.port.GraphView;
import service.core.schema.EntityType;
import service.core.schema.Lane;
import service.core.value.Direction;

/**
 * Checks {@code @card}: each source whose edges change must have an allowed number of edges of the type. Costs one step
 * per change, and for each such source at most its upper bound. One thread.
 */
final class CardinalityCheck {
    private static final String CARDINALITY = "cardinality_violation";

    private final ChangeBlock changes;
    private final List<EntityChange> order;
    private final GraphView view;
    private final RequestBudget budget;
    private final Consumer<ServiceException> violations;
    private @Nullable EntityColumn sources;
    private @Nullable ExpandBatch neighbours;

    CardinalityCheck(
            ChangeBlock changes,
            List<EntityChange> order,
            GraphView view,
            RequestBudget budget,
            Consumer<ServiceException> violations) {
        this.changes = changes;
        this.order = order;
        this.view = view;
        this.budget = budget;
        this.violations = violations;
    }

    /** Heap bytes of one entry of the map, without its key's characters. */
    private static final int ENTRY_BYTES = 144;

    /** The number of edges that a source gains, less those that it loses. */
    private static final class Balance {
        int net;
    }

    /** A node with edges of the type. */
    private record Source(int type, String id) {}

    void run() {
        for (EntityType.EdgeType edge : view.catalog().edges()) {
            if (edge.cardinality().isBounded() && changes.touches(edge.identity())) {
                check(edge);
            }
        }
    }

    private void check(EntityType.EdgeType edge) {
        Map<Source, Balance> balances = new LinkedHashMap<>();
        for (EntityChange change : order) {
            if (change.typeIdentity() == edge.identity() && ConstraintChecks.endsChanged(change)) {
                add(balances, edge, change.before(), -1);
                add(balances, edge, change.after(), 1);
            }
        }
        balances.forEach((source, balance) -> check(edge, source, balance.net));
    }

    private void add(Map<Source, Balance> balances, EntityType.EdgeType edge, @Nullable Image image, int difference) {
        if (image == null || image.from() == null) {
            return;
        }
        Source of = new Source(edge.source().type(image.fromType()), image.from());
        Balance balance = balances.computeIfAbsent(of, source -> {
            budget.memory().charge(ENTRY_BYTES + source.id.length(), "the check of cardinalities", "split the write");
            return new Balance();
        });
        balance.net += difference;
    }

    private void check(EntityType.EdgeType edge, Source source, int net) {
        EntityChange change = changes.find(source.type, source.id);
        if (change != null && change.after() == null) {
            return;
        }
        int ordinal = view.lookup(source.type, source.id);
        int has = (ordinal < 0 ? 0 : edges(edge, source.type, ordinal, net)) + net;
        if (!edge.cardinality().allows(has)) {
            violations.accept(ConstraintChecks.violation(
                    ErrorCode.CONFLICT,
                    CARDINALITY,
                    edge,
                    source.id,
                    view.catalog().requireType(source.type).name()
                            + " `"
                            + source.id
                            + "` would have "
                            + has
                            + " edges "
                            + edge.name()
                            + "; @card allows "
                            + edge.cardinality().text()
                            + moveHint(edge)));
        }
    }

    /** Where the number of edges is fixed, neither a deletion nor an insertion can be the first step of a move. */
    private static String moveHint(EntityType.EdgeType edge) {
        EntityType.Cardinality bounds = edge.cardinality();
        if (bounds.min() == 0 || bounds.min() != bounds.max()) {
            return "";
        }
        return edge.key().isEmpty()
                ? "; to move an edge, load it in mode merge with its id and the new ends"
                : "; to move an edge, delete it and insert the new one in one mutation, after a match";
    }

    /**
     * Counts the edges of a source, but no further than the bounds require: a hub with enough edges costs no more than
     * another node.
     *
     * @param net the number of edges that the change adds
     */
    private int edges(EntityType.EdgeType edge, int type, int source, int net) {
        EntityType.Cardinality bounds = edge.cardinality();
        long enough = (long) bounds.min() - net;
        if (bounds.max() < Integer.MAX_VALUE) {
            enough = Math.max(enough, (long) bounds.max() - net + 1);
        }
        ExpandBatch batch = neighbours;
        EntityColumn nodes = sources;
        if (batch == null || nodes == null) {
            batch = new ExpandBatch();
            nodes = new EntityColumn();
            neighbours = batch;
            sources = nodes;
        }
        nodes.reset();
        nodes.set(0, type, source, EntityColumn.NO_RECORD);
        int count = 0;
        for (Lane lane : edge.lanes(Direction.OUT, type)) {
            try (GraphView.Expansion expansion = view.expand(lane.identity(), Direction.OUT, nodes, 1)) {
                while (count < enough && expansion.next(batch)) {
                    count += batch.size;
                }
            }
        }
        return count;
    }
}
