package service.core.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.cluster.ChangePlan.Change;
import service.core.cluster.ChangePlan.Disposition;
import service.core.cluster.ChangePlan.Kind;
import service.core.port.GraphPort;
import service.core.port.ObjectStore.StoredObject;
import service.core.schema.Catalog;

/**
 * Makes the applied state equal to the desired one: first the graphs, each after a recovery record, then the contents
 * of the catalog, then the ledger, once. After a crash at any point the next apply completes the work: a graph
 * directory appears by a rename, so it is there whole or not at all, and a catalog's contents are named by their
 * digests.
 */
final class ClusterApply {
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
    ClusterApply(
            ClusterRoot root, DesiredState desired, GraphPort graphs, @Nullable String actor, Supplier<String> ids) {
        this.root = root;
        this.desired = desired;
        this.graphs = graphs;
        this.actor = actor;
        this.ids = ids;
    }

    ChangePlan run() {
        StoredObject before = root.readLedger();
        Ledger ledger = before == null ? null : Ledger.parse(before.bytes());
        NavigableMap<String, Resource> applied = ledger == null || ledger.applied() == null
                ? new TreeMap<>()
                : ledger.applied().resources();
        List<Change> changes = holdBack(plan(applied));
        desired.resources().values().stream()
                .filter(resource -> isApplied(resource, applied))
                .forEach(root::putContent);
        NavigableMap<String, Resource> next = new TreeMap<>(applied);
        for (Change change : changes) {
            if (change.disposition() != Disposition.BLOCKED) {
                carryOut(change, next);
            }
        }
        boolean first = ledger == null || ledger.applied() == null;
        NavigableMap<String, Resource> bare = withoutContent(next);
        Ledger written = ledger;
        if (first || !bare.equals(applied)) {
            written = new Ledger(
                    ledger == null ? ids.get() : ledger.clusterId(),
                    ledger == null ? ids.get() : ledger.incarnation(),
                    ledger == null ? 1 : ledger.revision() + 1,
                    new Ledger.Applied(DesiredState.digest(bare), Stamps.now(), actor, bare));
            root.writeLedger(before, written);
        }
        retireRecoveries();
        if (written == null) {
            throw new IllegalStateException("an apply ends with a ledger");
        }
        return new ChangePlan(
                changes,
                changes.stream().noneMatch(change -> change.disposition() == Disposition.BLOCKED),
                written.revision(),
                Stamps.of(written.toBytes()),
                desired.configDigest());
    }

    /** The changes in the order in which they are made: by kind of resource, then by address. */
    private List<Change> plan(NavigableMap<String, Resource> applied) {
        SortedSet<String> addresses = new TreeSet<>(applied.keySet());
        addresses.addAll(desired.resources().keySet());
        List<Change> changes = new ArrayList<>();
        for (Resource.Kind kind : Resource.Kind.values()) {
            for (String address : addresses) {
                if (Resource.Kind.ofAddress(address) == kind) {
                    Change change = compare(
                            address, applied.get(address), desired.resources().get(address));
                    if (change != null) {
                        changes.add(change);
                    }
                }
            }
        }
        return changes;
    }

    private static boolean isApplied(Resource wanted, NavigableMap<String, Resource> applied) {
        Resource present = applied.get(wanted.address());
        return present != null && present.digest().equals(wanted.digest());
    }

    /**
     * Blocks every change of a graph whose own change or schema change is blocked: stored queries were checked against
     * the desired schema and need not fit the applied one, and a graph that stays must keep its queries.
     */
    private static List<Change> holdBack(List<Change> changes) {
        Map<String, String> blockedBy = new HashMap<>();
        for (Change change : changes) {
            Resource.Kind kind = Resource.Kind.ofAddress(change.resource());
            if (change.disposition() == Disposition.BLOCKED && kind != Resource.Kind.POLICY) {
                blockedBy.putIfAbsent(Resource.graphIdOf(change.resource()), change.resource());
            }
        }
        return changes.stream()
                .map(change -> {
                    String cause = Resource.Kind.ofAddress(change.resource()) == Resource.Kind.POLICY
                            ? null
                            : blockedBy.get(Resource.graphIdOf(change.resource()));
                    return cause == null || change.disposition() == Disposition.BLOCKED
                            ? change
                            : new Change(
                                    change.resource(),
                                    change.kind(),
                                    Disposition.BLOCKED,
                                    "waits for " + cause + ", which is blocked");
                })
                .toList();
    }

    private @Nullable Change compare(String address, @Nullable Resource applied, @Nullable Resource wanted) {
        if (wanted == null) {
            return applied == null ? null : delete(applied);
        }
        if (applied == null) {
            return create(wanted);
        }
        if (applied.digest().equals(wanted.digest())) {
            return null;
        }
        if (wanted.kind() == Resource.Kind.SCHEMA) {
            return new Change(
                    address,
                    Kind.UPDATE,
                    Disposition.BLOCKED,
                    "this build cannot migrate the schema of a graph that exists; keep the applied schema");
        }
        return new Change(address, Kind.UPDATE, Disposition.APPLIED, null);
    }

    private static Change delete(Resource applied) {
        return switch (applied.kind()) {
            case GRAPH, SCHEMA ->
                new Change(
                        applied.address(),
                        Kind.DELETE,
                        Disposition.BLOCKED,
                        "this build cannot delete a graph; keep it in cluster.yaml");
            case QUERY, POLICY -> new Change(applied.address(), Kind.DELETE, Disposition.APPLIED, null);
        };
    }

    private Change create(Resource wanted) {
        if (wanted.kind() == Resource.Kind.SCHEMA) {
            return new Change(wanted.address(), Kind.CREATE, Disposition.DERIVED, null);
        }
        if (wanted.kind() == Resource.Kind.GRAPH) {
            Path directory = root.graphDirectory(wanted.graphId());
            Catalog catalog = catalog(wanted.graphId());
            if (graphs.exists(directory) && !catalog.digest().equals(graphs.schemaDigest(directory))) {
                return new Change(
                        wanted.address(),
                        Kind.CREATE,
                        Disposition.BLOCKED,
                        directory + " holds something else than a graph of this schema; move it away");
            }
        }
        return new Change(wanted.address(), Kind.CREATE, Disposition.APPLIED, null);
    }

    private void carryOut(Change change, NavigableMap<String, Resource> next) {
        if (change.kind() == Kind.DELETE) {
            next.remove(change.resource());
            return;
        }
        Resource wanted = desired.resources().get(change.resource());
        if (wanted == null) {
            throw new IllegalStateException(change.resource() + " is not wanted");
        }
        if (wanted.kind() == Resource.Kind.GRAPH && change.kind() == Kind.CREATE) {
            createGraph(wanted.graphId());
        }
        root.putContent(wanted);
        next.put(wanted.address(), wanted);
    }

    private void createGraph(String graphId) {
        Path directory = root.graphDirectory(graphId);
        if (graphs.exists(directory)) {
            return;
        }
        String id = ids.get();
        root.putRecovery(
                id,
                (JsonNodeFactory.instance
                                        .objectNode()
                                        .put("recovery_id", id)
                                        .put("operation", "create_graph")
                                        .put("graph_id", graphId)
                                        .put("created_at", Stamps.now())
                                + "\n")
                        .getBytes(StandardCharsets.UTF_8));
        graphs.create(directory, graphId, catalog(graphId), actor);
    }

    /** Removes the recovery records: every step that they announce is complete now. */
    private void retireRecoveries() {
        root.recoveries().forEach(root.store()::delete);
    }

    private Catalog catalog(String graphId) {
        Catalog catalog = desired.catalogs().get(graphId);
        if (catalog == null) {
            throw new IllegalStateException("graph " + graphId + " has no schema");
        }
        return catalog;
    }

    private static NavigableMap<String, Resource> withoutContent(NavigableMap<String, Resource> resources) {
        NavigableMap<String, Resource> bare = new TreeMap<>();
        resources.forEach((address, resource) -> bare.put(
                address,
                new Resource(
                        resource.kind(), address, resource.digest(), null, resource.bindings(), resource.settings())));
        return bare;
    }
}
