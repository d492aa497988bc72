package service.core.cluster;

import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.GraphPlace;
import service.core.port.GraphPort;
import service.core.port.GraphPort.Observed;
import service.core.port.ObjectStore.StoredObject;

/**
 * Makes a lost or damaged ledger again. The graphs say which graphs there are and which schema each has; the files give
 * settings, stored queries and policies, which a graph does not contain. A graph that the files do not declare is taken
 * over too, so that it can only go by an approved deletion.
 */
final class LedgerImport {
    private final ClusterRoot root;
    private final DesiredState desired;
    private final GraphPort graphs;
    private final @Nullable String actor;
    private final Supplier<String> ids;

    /**
     * One run; the caller holds the lock.
     *
     * @param ids returns new ULIDs
     */
    LedgerImport(
            ClusterRoot root, DesiredState desired, GraphPort graphs, @Nullable String actor, Supplier<String> ids) {
        this.root = root;
        this.desired = desired;
        this.graphs = graphs;
        this.actor = actor;
        this.ids = ids;
    }

    /**
     * Checks that no policy was ever applied: without the files it is not known what a policy applies to, and without
     * policies every graph would be open.
     *
     * @param options of the command with the files
     * @throws ServiceException CONFLICT when the catalog holds a policy
     */
    void requireNoPolicies(String options) {
        if (root.hasPolicyContents()) {
            throw ServiceException.conflict(
                    "policies were applied in %s, and only the files have their scopes; run `service cluster import %s`"
                            .formatted(root.canonical(), options));
        }
    }

    /**
     * Checks that the ledger is lost or damaged.
     *
     * @return the damaged one; null when there is none
     * @throws ServiceException CONFLICT when there is a ledger that can be read
     */
    @Nullable
    StoredObject requireLost() {
        StoredObject present = root.readLedger();
        if (present != null && isReadable(present)) {
            throw ServiceException.conflict(
                    "the ledger of %s is there; `service cluster refresh` compares it with the graphs"
                            .formatted(root.canonical()));
        }
        return present;
    }

    /**
     * Writes the ledger and retires the recovery records.
     *
     * @param damaged as {@link #requireLost} has returned it
     * @param note receives a sentence about each graph that could not be taken over as the files declare it
     */
    void run(@Nullable StoredObject damaged, Consumer<String> note) {
        Recoveries recoveries = new Recoveries(root, graphs);
        List<Recoveries.Pending> pending = recoveries.pending();
        recoveries.clear(pending);
        NavigableMap<String, Resource> found = new TreeMap<>();
        graphs.list(root.address()).forEach(graphId -> take(graphId, found, note));
        desired.resources().values().stream()
                .filter(resource -> resource.kind() == Resource.Kind.POLICY)
                .forEach(resource -> found.put(resource.address(), resource));
        found.values().forEach(root::putContent);
        NavigableMap<String, Resource> bare = new TreeMap<>();
        found.forEach((address, resource) -> bare.put(address, resource.bare()));
        Ledger first = Ledger.empty(ids.get(), ids.get());
        Ledger base = new Ledger(
                first.clusterId(),
                first.incarnation(),
                newestApproval(),
                null,
                first.statuses(),
                first.approvals(),
                first.recoveries());
        root.writeLedger(
                damaged,
                base.next(
                        new Ledger.Applied(DesiredState.digest(bare), Stamps.now(), actor, bare),
                        new TreeMap<>(),
                        List.of(),
                        List.of()));
        recoveries.retire();
    }

    private static boolean isReadable(StoredObject ledger) {
        try {
            return Ledger.parse(ledger.bytes()).applied() != null;
        } catch (IllegalArgumentException | ServiceException e) {
            return false;
        }
    }

    /** The revision of the newest approval: the new ledger has a later one, so that no old approval fits it. */
    private long newestApproval() {
        long newest = 0;
        for (String key : root.approvals()) {
            StoredObject found = root.store().get(key);
            try {
                newest = Math.max(
                        newest,
                        found == null ? 0 : Approval.parse(found.bytes()).ledgerRevision());
            } catch (ServiceException e) {
                if (e.code() != ErrorCode.BAD_REQUEST) {
                    throw e;
                }
                // It is no approval; it approves nothing.
            }
        }
        return newest;
    }

    private void take(String graphId, NavigableMap<String, Resource> found, Consumer<String> note) {
        GraphPlace place = root.graph(graphId);
        Observed observed = graphs.observe(place);
        Resource declared = desired.resources().get("schema." + graphId);
        if (observed.schemaSource() == null) {
            note.accept("%s is not taken over: %s".formatted(place, observed.fault()));
            return;
        }
        Resource graph = desired.resources().get("graph." + graphId);
        found.put("graph." + graphId, graph == null ? Resource.graph(graphId, "{}") : graph);
        Resource schema = Resource.schema(graphId, observed.schemaSource());
        found.put(schema.address(), schema);
        if (declared == null) {
            note.accept("graph `%s` is taken over with its schema alone; no file declares it".formatted(graphId));
        } else if (!declared.digest().equals(schema.digest())) {
            note.accept("graph `%s` has another schema than the files; its stored queries come with the next apply"
                    .formatted(graphId));
        } else {
            Resource.queriesOf(graphId, desired.resources())
                    .forEach(resource -> found.put(resource.address(), resource));
        }
    }
}
