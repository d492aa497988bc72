package service.core.cluster;

import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.port.GraphPort;

/** Records in the ledger what interrupted steps have done and what is not as applied. */
final class ClusterRefresh {
    private final ClusterRoot root;
    private final GraphPort graphs;
    private final @Nullable String actor;

    /** One run; the caller holds the lock. */
    ClusterRefresh(ClusterRoot root, GraphPort graphs, @Nullable String actor) {
        this.root = root;
        this.graphs = graphs;
        this.actor = actor;
    }

    /** Writes the ledger when something is new, then retires the recovery records. */
    void run(RootState state) {
        Recoveries recoveries = new Recoveries(root, graphs);
        Ledger ledger = state.ledger();
        if (ledger == null || ledger.applied() == null) {
            return; // Only an apply makes the first ledger; the records wait for it.
        }
        recoveries.clear(state.pending());
        NavigableMap<String, Resource> next =
                state.pending().isEmpty() ? ledger.applied().resources() : recovered(state);
        NavigableMap<String, Ledger.Status> statuses = new ClusterObserver(root, graphs).statuses(next.values());
        boolean moved = !next.equals(ledger.applied().resources());
        if (moved || !statuses.equals(ledger.statuses())) {
            Ledger.Applied applied =
                    moved ? new Ledger.Applied(DesiredState.digest(next), Stamps.now(), actor, next) : ledger.applied();
            root.writeLedger(
                    state.stored(),
                    ledger.next(
                            applied,
                            statuses,
                            List.of(),
                            List.copyOf(state.settled(root, graphs).keySet())));
        }
        recoveries.retire();
    }

    private NavigableMap<String, Resource> recovered(RootState state) {
        NavigableMap<String, Resource> next = new TreeMap<>();
        state.recovered().forEach((address, resource) -> {
            root.putContent(resource);
            next.put(address, resource.bare());
        });
        return next;
    }
}
