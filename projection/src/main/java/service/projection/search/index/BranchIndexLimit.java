package service.projection.search.index;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Bounds the indexes of branches of all graphs of the process, in number and bytes on disk: those go that were not
 * searched for longest. Any thread.
 */
final class BranchIndexLimit {
    static final BranchIndexLimit SHARED = new BranchIndexLimit();

    /** What drops each; the one that was not used for longest is the first. */
    private final Map<Indexer, Runnable> kept = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Notes a use.
     *
     * @param drop deletes the index
     */
    void used(Indexer indexer, Runnable drop, SearchOptions.Branches options) {
        boolean isNew;
        synchronized (this) {
            isNew = kept.put(indexer, drop) == null;
        }
        if (isNew) {
            bound(options);
        }
    }

    /** Notes that an index may have more bytes. */
    void grown(Indexer indexer, SearchOptions.Branches options) {
        boolean isKept;
        synchronized (this) {
            isKept = kept.containsKey(indexer);
        }
        if (isKept) {
            bound(options);
        }
    }

    private void bound(SearchOptions.Branches options) {
        List<Runnable> dropped = new ArrayList<>();
        synchronized (this) {
            long bytes = kept.keySet().stream()
                    .mapToLong(indexer -> indexer.state().bytes())
                    .sum();
            var eldest = kept.entrySet().iterator();
            while ((kept.size() > options.indexesMax() || bytes > options.bytesMax()) && eldest.hasNext()) {
                Map.Entry<Indexer, Runnable> each = eldest.next();
                bytes -= each.getKey().state().bytes();
                dropped.add(each.getValue());
                eldest.remove();
            }
        }
        // Deleting waits for the round of an index, so it is not done in one.
        dropped.forEach(drop -> SearchThreads.after(0, drop));
    }

    synchronized void forget(Indexer indexer) {
        kept.remove(indexer);
    }
}
