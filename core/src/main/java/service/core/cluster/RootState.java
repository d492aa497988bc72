package service.core.cluster;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.cluster.Ledger.SettledRecovery;
import service.core.cluster.RecoveryRecord.Operation;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.GraphPlace;
import service.core.port.GraphPort;
import service.core.port.GraphPort.Observed;
import service.core.port.ObjectStore.StoredObject;

/**
 * The state of a root at the start of a command: the ledger, and the resources as they really are. The two differ where
 * a process ended between a step and the ledger, or where a refresh has marked a graph as drifted. Only the graphs of
 * such records and marks are opened, so a converged apply opens none.
 *
 * @param stored the ledger's bytes and version; null when there is none
 * @param ledger null when there is none
 * @param recovered the resources of the ledger, with what interrupted steps have done
 * @param real these, with the schemas that drifted graphs have
 * @param pending the recovery records that were found
 */
record RootState(
        @Nullable StoredObject stored,
        @Nullable Ledger ledger,
        NavigableMap<String, Resource> recovered,
        NavigableMap<String, Resource> real,
        List<Recoveries.Pending> pending) {
    /**
     * Reads a root; changes nothing.
     *
     * @throws ServiceException RECOVERY_REQUIRED when the ledger cannot be read
     */
    static RootState read(ClusterRoot root, GraphPort graphs) {
        StoredObject stored = root.readLedger();
        Ledger ledger = stored == null ? null : parse(root, stored);
        NavigableMap<String, Resource> applied = resources(ledger);
        List<Recoveries.Pending> pending = new Recoveries(root, graphs).pending();
        NavigableMap<String, Resource> recovered = new TreeMap<>(applied);
        interrupted(applied, pending).forEach(graphId -> observe(root, graphs, graphId, pending, recovered));
        NavigableMap<String, Resource> real = new TreeMap<>(recovered);
        drifted(ledger).forEach(graphId -> observe(root, graphs, graphId, pending, real));
        return new RootState(stored, ledger, recovered, real, pending);
    }

    private static Ledger parse(ClusterRoot root, StoredObject stored) {
        try {
            return Ledger.parse(stored.bytes());
        } catch (IllegalArgumentException | ServiceException e) {
            throw new ServiceException(
                    ErrorCode.RECOVERY_REQUIRED,
                    "the ledger of %s cannot be read (%s); `service cluster import` makes it again from the files and the graphs"
                            .formatted(root.canonical(), e.getMessage()));
        }
    }

    private static NavigableMap<String, Resource> resources(@Nullable Ledger ledger) {
        return ledger == null || ledger.applied() == null
                ? new TreeMap<>()
                : ledger.applied().resources();
    }

    /** The graphs that interrupted steps may have moved: all of them when a record cannot be read. */
    private static Set<String> interrupted(NavigableMap<String, Resource> applied, List<Recoveries.Pending> pending) {
        Set<String> ids = new LinkedHashSet<>(Recoveries.graphIds(pending));
        if (pending.stream().anyMatch(each -> each.record() == null)) {
            applied.values().stream()
                    .filter(resource -> resource.kind() == Resource.Kind.GRAPH)
                    .forEach(resource -> ids.add(resource.graphId()));
        }
        return ids;
    }

    private static Set<String> drifted(@Nullable Ledger ledger) {
        Set<String> ids = new LinkedHashSet<>();
        if (ledger != null) {
            ledger.statuses().keySet().stream()
                    .filter(address -> Resource.Kind.ofAddress(address) == Resource.Kind.SCHEMA)
                    .forEach(address -> ids.add(Resource.graphIdOf(address)));
        }
        return ids;
    }

    private static void observe(
            ClusterRoot root,
            GraphPort graphs,
            String graphId,
            List<Recoveries.Pending> pending,
            NavigableMap<String, Resource> real) {
        GraphPlace place = root.graph(graphId);
        if (!graphs.isGraph(place)) {
            if (record(pending, graphId, Operation.DELETE_GRAPH) != null) {
                real.values().removeIf(resource -> resource.isOf(graphId));
            }
            return;
        }
        Observed observed = graphs.observe(place);
        RecoveryRecord created = record(pending, graphId, Operation.CREATE_GRAPH);
        if (created != null && observed.schemaSource() != null) {
            String settings = created.settings() == null ? "{}" : created.settings();
            real.putIfAbsent("graph." + graphId, Resource.graph(graphId, settings));
        }
        if (observed.schemaSource() != null && real.containsKey("graph." + graphId)) {
            Resource schema = Resource.schema(graphId, observed.schemaSource());
            real.put(schema.address(), schema);
        }
    }

    private static @Nullable RecoveryRecord record(
            List<Recoveries.Pending> pending, String graphId, Operation operation) {
        for (Recoveries.Pending each : pending) {
            RecoveryRecord record = each.record();
            if (record != null
                    && record.operation() == operation
                    && record.graphId().equals(graphId)) {
                return record;
            }
        }
        return null;
    }

    /** The resources of the ledger. */
    NavigableMap<String, Resource> applied() {
        return resources(ledger);
    }

    LedgerStamp stamp() {
        return stored == null || ledger == null ? LedgerStamp.NONE : LedgerStamp.of(ledger, stored.bytes());
    }

    /**
     * Checks that the ledger can name who changes a cluster that has a policy.
     *
     * @throws ServiceException BAD_REQUEST when a policy is applied and the actor is null
     */
    void requireActor(@Nullable String actor) {
        boolean governed = applied().values().stream().anyMatch(resource -> resource.kind() == Resource.Kind.POLICY);
        if (governed && actor == null) {
            throw ServiceException.badRequest(
                    "a policy is applied, so the ledger must name the actor; give --as ACTOR, or set operator.actor in config.yaml");
        }
    }

    /** The ledger to make the next one of. */
    Ledger ledgerOr(Ledger first) {
        return ledger == null ? first : ledger;
    }

    /** What became of each interrupted step, and a sentence about each for people. */
    Map<SettledRecovery, String> settled(ClusterRoot root, GraphPort graphs) {
        Map<SettledRecovery, String> settled = new LinkedHashMap<>();
        for (Recoveries.Pending each : pending) {
            RecoveryRecord record = each.record();
            if (record == null) {
                continue;
            }
            GraphPlace place = root.graph(record.graphId());
            boolean done = Recoveries.isDone(record, graphs.isGraph(place) ? graphs.observe(place) : null);
            settled.put(
                    new SettledRecovery(
                            record.id(),
                            record.operation().wireName(),
                            record.graphId(),
                            done ? "done" : "not_done",
                            Stamps.now()),
                    "an interrupted apply had begun to %s; %s"
                            .formatted(record.words(), done ? "it is done" : "it was not done"));
        }
        return settled;
    }
}
