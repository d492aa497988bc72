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

    /** Edges whose ends are looked up at once, and the bytes that this takes for each. */
    private static final int WINDOW_EDGES = 32_768;

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
        long window = (long) EDGE_BYTES * Math.min(WINDOW_EDGES, edges);
        long kept = 4L * changes.count() + 8L * edges;
        budget.memory().charge(kept + window, "the write", "split it into smaller ones");
        try {
            return view.resolve(changes, () -> budget.checkpoint(() -> {}));
        } finally {
            budget.memory().release(window);
        }
    }
}
