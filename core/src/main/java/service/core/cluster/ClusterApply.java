package service.core.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.cluster.ChangePlan.Change;
import service.core.cluster.ChangePlan.Disposition;
import service.core.cluster.ChangePlan.Kind;
import service.core.cluster.ClusterPlanner.Planned;
import service.core.cluster.Ledger.SettledRecovery;
import service.core.cluster.Ledger.UsedApproval;
import service.core.cluster.RecoveryRecord.Operation;
import service.core.error.ServiceException;
import service.core.event.Origin;
import service.core.port.GraphPlace;
import service.core.port.GraphPort;

/**
 * Makes the applied state equal to the desired one, in this order: create graphs, migrate schemas, write contents into
 * the catalog, delete graphs; then it writes the ledger once and removes the recovery records. Each step that moves a
 * graph has a recovery record before it. After a crash at any point the next command reads the graphs that the records
 * name ({@link RootState}) and continues from there.
 */
final class ClusterApply {
    /** Graphs that are created at one time. Each waits for a dozen fsyncs, or for requests to a store. */
    private static final int CREATED_AT_ONCE = 8;

    private final ClusterRoot root;
    private final DesiredState desired;
    private final GraphPort graphs;
    private final Origin origin;
    private final Supplier<String> ids;

    /**
     * One run; the caller holds the lock.
     *
     * @param origin who applies, and why
     * @param ids returns new ULIDs
     */
    ClusterApply(ClusterRoot root, DesiredState desired, GraphPort graphs, Origin origin, Supplier<String> ids) {
        this.root = root;
        this.desired = desired;
        this.graphs = graphs;
        this.origin = origin;
        this.ids = ids;
    }

    /**
     * Carries out a plan.
     *
     * @param state the state that the plan was made from
     * @param planner the one that made the plan
     * @param note receives a sentence about each interrupted step that is settled
     * @throws ServiceException BAD_REQUEST when there is something to change, a policy is applied, and no actor is
     *     named
     */
    ChangePlan run(RootState state, ClusterPlanner planner, Planned planned, Consumer<String> note) {
        if (!planned.changes().isEmpty()) {
            state.requireActor(origin.actor());
        }
        Map<SettledRecovery, String> settled = state.settled(root, graphs);
        settled.values().forEach(note);
        Recoveries recoveries = new Recoveries(root, graphs);
        recoveries.clear(state.pending());
        planner.unchanged().forEach(root::putContent);
        state.recovered().values().forEach(root::putContent);
        List<Change> moved = planner.holdBack(moveGraphs(planned, recoveries));
        moved.stream()
                .filter(change -> !change.isBlocked())
                .map(change -> desired.resources().get(change.resource()))
                .filter(Objects::nonNull)
                .forEach(root::putContent);
        List<Change> done = planner.holdBack(
                moved.stream().map(change -> deleteGraph(change, recoveries)).toList());
        NavigableMap<String, Resource> next = next(state, done);
        Ledger written = write(state, next, approvals(planned, done, state), List.copyOf(settled.keySet()));
        recoveries.retire();
        boolean blocked = done.stream().anyMatch(Change::isBlocked);
        return new ChangePlan(
                done,
                List.copyOf(planned.needed().keySet()),
                !blocked,
                LedgerStamp.of(written, written.toBytes()),
                desired.configDigest());
    }

    /** Creates graphs, then migrates schemas. A step that the graph refuses is blocked. */
    private List<Change> moveGraphs(Planned planned, Recoveries recoveries) {
        createGraphs(
                planned.changes().stream()
                        .filter(change -> change.disposition() == Disposition.APPLIED && change.kind() == Kind.CREATE)
                        .map(change -> desired.resources().get(change.resource()))
                        .filter(wanted -> wanted != null && wanted.kind() == Resource.Kind.GRAPH)
                        .toList(),
                recoveries);
        List<Change> moved = new ArrayList<>();
        for (Change change : planned.changes()) {
            Resource wanted = desired.resources().get(change.resource());
            boolean moves = change.disposition() == Disposition.APPLIED;
            if (moves && wanted != null && wanted.kind() == Resource.Kind.SCHEMA && change.kind() == Kind.UPDATE) {
                moved.add(migrate(change, wanted, planned.used().containsKey(change.resource()), recoveries));
            } else {
                moved.add(change);
            }
        }
        return moved;
    }

    /** Creates graphs, some at a time. After a failure no further one is begun. */
    private void createGraphs(List<Resource> created, Recoveries recoveries) {
        Queue<Resource> left = new ConcurrentLinkedQueue<>(created);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Runnable work = () -> {
            for (Resource next = left.poll(); next != null && failure.get() == null; next = left.poll()) {
                try {
                    createGraph(next, recoveries);
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            }
        };
        try (ExecutorService threads = Executors.newFixedThreadPool(CREATED_AT_ONCE)) {
            for (int i = 0; i < Math.min(CREATED_AT_ONCE, created.size()); i++) {
                threads.execute(work);
            }
        }
        switch (failure.get()) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    private void createGraph(Resource graph, Recoveries recoveries) {
        String graphId = graph.graphId();
        GraphPlace place = root.graph(graphId);
        if (graphs.exists(place)) {
            return; // The planner has seen that it is a graph of this schema.
        }
        Resource schema = desired.resource("schema." + graphId);
        root.putContent(schema);
        recoveries.announce(record(Operation.CREATE_GRAPH, graphId, schema, graph.settings()));
        graphs.create(place, graphId, desired.catalog(graphId), origin.actor());
    }

    private Change migrate(Change change, Resource schema, boolean dropsApproved, Recoveries recoveries) {
        String graphId = schema.graphId();
        GraphPlace place = root.graph(graphId);
        String writer = graphs.writer(place);
        if (writer != null) {
            return change.blocked("%s holds the graph; stop it, then apply again".formatted(writer));
        }
        root.putContent(schema);
        RecoveryRecord record = record(Operation.MIGRATE_SCHEMA, graphId, schema, null);
        recoveries.announce(record);
        try {
            graphs.migrate(place, graphId, desired.source(graphId), dropsApproved, origin);
            return change;
        } catch (ServiceException refusal) {
            return change.blocked(refusal.getMessage());
        }
    }

    private RecoveryRecord record(
            Operation operation, String graphId, @Nullable Resource schema, @Nullable String settings) {
        return new RecoveryRecord(
                ids.get(),
                operation,
                graphId,
                schema == null ? null : schema.digest(),
                settings,
                origin.actor(),
                Stamps.now());
    }

    /** Deletes the graph when this is the change that does; blocked when the graph is in use. */
    private Change deleteGraph(Change change, Recoveries recoveries) {
        boolean deletes = change.disposition() == Disposition.APPLIED
                && change.kind() == Kind.DELETE
                && Resource.Kind.ofAddress(change.resource()) == Resource.Kind.GRAPH;
        String graphId = deletes ? Resource.graphIdOf(change.resource()) : "";
        GraphPlace place = root.graph(graphId);
        if (!deletes || !graphs.exists(place)) {
            return change;
        }
        String writer = graphs.writer(place);
        if (writer != null) {
            return change.blocked("%s holds the graph; stop it, then apply again".formatted(writer));
        }
        recoveries.announce(record(Operation.DELETE_GRAPH, graphId, null, null));
        try {
            graphs.delete(place);
            return change;
        } catch (ServiceException refusal) {
            return change.blocked(refusal.getMessage());
        }
    }

    /** The resources of the next ledger. */
    private NavigableMap<String, Resource> next(RootState state, List<Change> done) {
        NavigableMap<String, Resource> next = new TreeMap<>();
        state.recovered().forEach((address, resource) -> next.put(address, resource.bare()));
        for (Change change : done) {
            if (!change.isBlocked()) {
                Resource wanted = desired.resources().get(change.resource());
                if (wanted == null) {
                    next.remove(change.resource());
                } else {
                    next.put(change.resource(), wanted.bare());
                }
            }
        }
        return next;
    }

    private List<UsedApproval> approvals(Planned planned, List<Change> done, RootState state) {
        List<UsedApproval> used = new ArrayList<>();
        for (Change change : done) {
            Approval approval = planned.used().get(change.resource());
            if (approval != null && !change.isBlocked()) {
                used.add(new UsedApproval(
                        approval.id(), approval.resource(), state.stamp().revision() + 1, Stamps.now()));
            }
        }
        return used;
    }

    /** Writes the next ledger when it differs from the present one; returns the ledger that is in force. */
    private Ledger write(
            RootState state,
            NavigableMap<String, Resource> next,
            List<UsedApproval> approvals,
            List<SettledRecovery> settled) {
        Ledger present = state.ledger();
        NavigableMap<String, Ledger.Status> statuses = new TreeMap<>();
        if (present != null && !present.statuses().isEmpty()) {
            statuses.putAll(new ClusterObserver(root, graphs).statuses(next.values()));
        }
        boolean same = present != null
                && present.applied() != null
                && present.applied().resources().equals(next)
                && present.statuses().equals(statuses);
        if (same) {
            return Objects.requireNonNull(present);
        }
        Ledger written = state.ledgerOr(Ledger.empty(ids.get(), ids.get()))
                .next(
                        new Ledger.Applied(DesiredState.digest(next), Stamps.now(), origin.actor(), next),
                        statuses,
                        approvals,
                        settled);
        root.writeLedger(state.stored(), written);
        return written;
    }
}
