package service.projection.view;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import service.core.port.Branch;
import service.projection.temporal.Chain;

/**
 * The heads of a graph's branches at the newest committed state of its tables, so that a read does not decode a branch,
 * its ancestors and its schema again. A head is valid for the state from which it was read, named by LMDB's number of
 * the transaction that committed the state; a session on another state finds nothing here and reads the tables. So
 * nothing must be told to this class when a group commits, also when another process commits it.
 *
 * <p>Any thread.
 */
final class Heads {
    /** Heads of one state; further branches are read from the tables. */
    static final int KEPT_MAX = 4_096;

    /**
     * A live branch.
     *
     * @param opened null until a session opens a view of the head
     */
    record Head(Branch branch, @Nullable Opened opened) {}

    /** What a view of a head is made of: the chain of the branch, and the schema in force. */
    record Opened(Chain chain, Catalogs.Compiled catalog) {}

    private record AtState(long state, Map<String, Head> byName) {}

    private volatile AtState newest = new AtState(-1, Map.of());

    /** The head of a branch at a state; null when it is not kept. */
    @Nullable
    Head find(long state, String name) {
        AtState kept = newest;
        return kept.state == state ? kept.byName.get(name) : null;
    }

    /**
     * Keeps a head that was read from a state, unless a later state is kept. It replaces an earlier head of its name.
     */
    void keep(long state, Head head) {
        AtState kept = newest;
        if (kept.state < state) {
            kept = new AtState(state, new ConcurrentHashMap<>());
            newest = kept;
        }
        String name = head.branch().name();
        if (kept.state == state && (kept.byName.size() < KEPT_MAX || kept.byName.containsKey(name))) {
            kept.byName.put(name, head);
        }
    }
}
