package service.core.graph.check;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import service.core.budget.RequestBudget;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.schema.EntityType;

/**
 * The ends of new edges that are live in a view. A window of edges is looked up at once, in the order of the ids:
 * look-ups of neighbouring ids share pages, and an end of several edges is looked up once. An end that is not found
 * here is not known, because it may be among the changes.
 *
 * <p>One thread.
 */
final class LiveEnds implements AutoCloseable {
    /** Changes whose ends are looked up at once. */
    static final int WINDOW = 32_768;

    /** Fewer changes are looked up one by one. */
    private static final int CHANGES_MIN = 256;

    /** Heap bytes of an id in a set, without its characters. */
    private static final int ID_BYTES = 120;

    private final GraphView view;
    private final Catalog catalog;
    private final RequestBudget budget;
    private final ChangeReader ahead;
    private final boolean worthwhile;
    private final Map<Integer, Set<String>> live = new HashMap<>();
    private long charged;

    /** @param changes in the order in which {@link #reach} passes them */
    LiveEnds(ChangeBlock changes, GraphView view, RequestBudget budget) {
        this.view = view;
        this.catalog = view.catalog();
        this.budget = budget;
        this.ahead = changes.reader();
        this.worthwhile = changes.count() >= CHANGES_MIN;
    }

    /** Looks up the ends of the window that begins at a change. Call it with each index, from 0 on. */
    void reach(int index) {
        if (worthwhile && index % WINDOW == 0) {
            close();
            collect();
            live.replaceAll(this::found);
        }
    }

    boolean contains(int type, String id) {
        Set<String> ids = live.get(type);
        return ids != null && ids.contains(id);
    }

    private void collect() {
        long bytes = 0;
        for (int i = 0; i < WINDOW && ahead.next(); i++) {
            if (ahead.isEdge() && ahead.hasAfter() && !ahead.hasBefore()) {
                EntityType.EdgeType edge = (EntityType.EdgeType) catalog.requireType(ahead.type());
                bytes += add(edge.source(), ahead.text(ahead.afterFromPosition(), ahead.afterFromLength()));
                bytes += add(edge.destination(), ahead.text(ahead.afterToPosition(), ahead.afterToLength()));
            }
        }
        budget.memory().charge(bytes, "the write", "split it into smaller ones");
        charged = bytes;
    }

    /** Returns the heap bytes that the id takes. */
    private long add(int type, String id) {
        return live.computeIfAbsent(type, any -> new HashSet<>()).add(id) ? ID_BYTES + id.length() : 0;
    }

    private Set<String> found(int type, Set<String> ids) {
        String[] sorted = ids.toArray(String[]::new);
        Arrays.sort(sorted);
        int[] ordinals = new int[sorted.length];
        view.lookup(type, sorted, sorted.length, ordinals);
        for (int i = 0; i < sorted.length; i++) {
            if (ordinals[i] < 0) {
                ids.remove(sorted[i]);
            }
        }
        return ids;
    }

    /** Forgets the window and gives back its memory. */
    @Override
    public void close() {
        live.clear();
        budget.memory().release(charged);
        charged = 0;
    }
}
