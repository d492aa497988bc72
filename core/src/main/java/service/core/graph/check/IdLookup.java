package service.core.graph.check;

import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.event.ChangeBlock;
import service.core.event.ChangeCounts;
import service.core.event.ResolvedIds;
import service.core.port.GraphView;

/** Looks up all ids of a change set in a view, for the checks and for the writer. */
final class IdLookup {
    /** Fewer changes are looked up one by one. */
    private static final int CHANGES_MIN = 256;

    /** Bytes that the look-up of the ends of an edge takes. */
    private static final int EDGE_BYTES = 256;

    private IdLookup() {}

    /** Whether {@link #run} can be faster than looking ids up one by one. */
    static boolean isWorthwhile(ChangeBlock changes) {
        ChangeCounts counts = changes.counts();
        return changes.count() >= CHANGES_MIN && counts.edgesUpdated() + counts.edgesDeleted() == 0;
    }

    /**
     * The ids; null when the view has no faster way than one by one.
     *
     * @param budget charged for the ordinals for as long as it is open
     */
    static @Nullable ResolvedIds run(ChangeBlock changes, GraphView view, RequestBudget budget) {
        int edges = changes.counts().edgesInserted();
        long window = (long) EDGE_BYTES * Math.min(ResolvedIds.WINDOW_EDGES, edges);
        long kept = 4L * changes.count() + 8L * edges;
        budget.memory().charge(kept + window, "the write", "split it into smaller ones");
        try {
            return view.resolve(changes, () -> budget.checkpoint(() -> {}));
        } finally {
            budget.memory().release(window);
        }
    }
}
