package service.core.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.cluster.ClusterPlanner.Planned;
import service.core.config.ConfigDiagnostic;
import service.core.config.InvalidConfigException;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.event.Note;
import service.core.event.Origin;
import service.core.policy.PolicyBundle;
import service.core.port.GraphPlace;
import service.core.port.ObjectStore.StoredObject;
import service.core.port.RootAddress;
import service.core.schema.SchemaWarnings;
import service.core.value.Ulid;

/**
 * The operations on a cluster: a directory with {@code cluster.yaml}, and the root with its applied state.
 *
 * <p>Errors of every operation: {@link InvalidConfigException} when the files that it needs are not valid,
 * {@link ClusterConflictException} when another process holds the lock; both before anything is changed. A
 * {@link ServiceException} with PRECONDITION_FAILED when the root has moved meanwhile.
 *
 * <p>Thread rule: one thread; the root's lock excludes other processes.
 */
public final class Cluster {
    private final ClusterSource source;
    private final QueryValidation queries;
    private final ClusterPorts ports;

    /** The files as they were at the first reading, so that a command works on one state of them. */
    private @Nullable ClusterConfig read;

    /** The cluster of a directory with {@code cluster.yaml}, which names the root. */
    public Cluster(Path directory, QueryValidation queries, ClusterPorts ports) {
        this(new ClusterSource(directory, null, queries, ports));
    }

    /**
     * A cluster without its files: only {@link #status}, {@link #refresh}, {@link #importLedger}, {@link #policy} and
     * {@link #forceUnlock} do without them.
     */
    public Cluster(RootAddress root, QueryValidation queries, ClusterPorts ports) {
        this(new ClusterSource(null, root, queries, ports));
    }

    /**
     * The files of a directory for a root that is named beside them. Every operation throws a
     * {@link StartRefusedException}, {@code config_invalid}, when the files have another root as their {@code storage}.
     */
    public Cluster(Path directory, RootAddress root, QueryValidation queries, ClusterPorts ports) {
        this(new ClusterSource(directory, root, queries, ports));
    }

    private Cluster(ClusterSource source) {
        this.source = source;
        this.queries = source.queries();
        this.ports = source.ports();
    }

    /**
     * Who applies, and what the apply must fit.
     *
     * @param actor recorded in the ledger, or null; ignored with a principal, which is recorded itself
     * @param principal the holder of a credential, whom the applied policies must allow the whole plan; null for an
     *     apply by the authority of the storage
     * @param plan refuses to apply anything else than this plan; null for no such check
     * @param bootstrap the permission to install the first policy; null for a plain apply
     * @param note of the commits that change schemas; null for none
     */
    public record ApplyRequest(
            @Nullable String actor,
            @Nullable Principal principal,
            @Nullable SavedPlan plan,
            @Nullable BootstrapCapability bootstrap,
            @Nullable Note note) {
        /** A plain apply. */
        public static ApplyRequest by(@Nullable String actor) {
            return new ApplyRequest(actor, null, null, null, null);
        }

        private @Nullable String author() {
            return principal == null ? actor : principal.actor();
        }

        private Origin origin() {
            return new Origin(author(), note);
        }
    }

    /** The warnings of the files and the schemas; empty when the files are not valid. */
    public List<ConfigDiagnostic> warnings() {
        List<ConfigDiagnostic> warnings = new ArrayList<>();
        try {
            ClusterConfig config = config();
            if (!DesiredState.findings(config, queries).isEmpty()) {
                return List.of();
            }
            warnings.addAll(config.warnings());
            config.graphs().values().stream()
                    .map(ClusterConfig.GraphConfig::schema)
                    .distinct()
                    .forEach(schema ->
                            DesiredState.addFindings(SchemaWarnings.of(schema.text()), schema.path(), warnings));
        } catch (InvalidConfigException e) {
            return List.of();
        }
        return warnings;
    }

    /**
     * Parses and type-checks everything; needs no root.
     *
     * @return the findings; empty when the files are valid
     */
    public List<ConfigDiagnostic> validate() {
        try {
            desired();
            return List.of();
        } catch (InvalidConfigException e) {
            return e.diagnostics();
        }
    }

    /** A line of a file of the cluster, for a finding; empty when there is none. */
    public String source(String path) {
        return source.text(path);
    }

    /**
     * The policy that the files bind to a scope, applied or not; without files the applied one.
     *
     * @param scope a graph id, or {@code cluster}
     * @throws InvalidConfigException when {@code cluster.yaml} or the bundle is not valid
     * @throws ServiceException NOT_FOUND when no bundle applies to the scope
     * @throws StartRefusedException without files, when there is no ledger, or the content of a policy is lost
     */
    public PolicyBundle policy(String scope) {
        if (!source.hasFiles()) {
            return appliedPolicy(scope);
        }
        ClusterConfig config = config();
        for (ClusterConfig.PolicyConfig policy : config.policies().values()) {
            if (policy.appliesTo().contains(scope)) {
                List<ConfigDiagnostic> found = new ArrayList<>();
                PolicyBundle bundle = policy.read(found);
                if (bundle == null) {
                    throw new InvalidConfigException(found);
                }
                return bundle;
            }
        }
        throw ServiceException.notFound("no policy of "
                + source.requireDirectory().resolve(ClusterConfigReader.FILE)
                + " applies to `"
                + scope
                + "`; add a bundle under `policies` whose applies_to names it");
    }

    private PolicyBundle appliedPolicy(String scope) {
        ClusterRoot root = source.root();
        root.requireLedger(source.options());
        AppliedPolicies applied = AppliedPolicies.read(root.address(), ports.stores());
        PolicyBundle bundle =
                scope.equals(ClusterConfig.PolicyConfig.CLUSTER_SCOPE) ? applied.cluster() : applied.ofGraph(scope);
        if (bundle == null) {
            throw ServiceException.notFound(
                    "no policy applied in %s applies to `%s`; add a bundle under `policies` of cluster.yaml and apply it"
                            .formatted(root.canonical(), scope));
        }
        return bundle;
    }

    /**
     * Compares the state that the files declare with the applied one. Writes nothing and takes no lock.
     *
     * @param principal the holder of a credential, whom the applied policies must allow to see the plan; null for a
     *     plan by the authority of the storage
     * @param note receives sentences about interrupted steps and about servers that hold graphs to change
     * @throws ServiceException FORBIDDEN naming every permission that the principal lacks, CONFLICT when there is no
     *     cluster yet that its credential could be for
     */
    public ChangePlan plan(@Nullable Principal principal, Consumer<String> note) {
        DesiredState desired = desired();
        ClusterRoot root = source.root(config());
        RootState state = RootState.read(root, ports.graphs());
        RunAuthority authority = principal == null ? null : RunAuthority.of(principal, root, state);
        Planned planned = new ClusterPlanner(root, desired, ports.graphs(), state).plan();
        if (authority != null) {
            authority.requireSight(planned.changes());
        }
        state.settled(root, ports.graphs()).values().forEach(note);
        noteOthers(root, state, note);
        ChangePlan plan = plan(desired, state, planned);
        writersOf(root, plan)
                .forEach((writer, ids) -> note.accept(
                        "%s holds %s, whose change needs it stopped".formatted(writer, String.join(", ", ids))));
        return plan;
    }

    /** Says before the first apply that a prefix has other objects, because it may be the wrong one. */
    private static void noteOthers(ClusterRoot root, RootState state, Consumer<String> note) {
        String other = state.ledger() == null ? root.otherObject() : null;
        if (other != null) {
            note.accept("%s holds objects that are of no cluster, such as %s; the cluster is kept beside them"
                    .formatted(root.canonical(), other));
        }
    }

    private static ChangePlan plan(DesiredState desired, RootState state, Planned planned) {
        return new ChangePlan(
                planned.changes(),
                List.copyOf(planned.needed().keySet()),
                planned.changes().isEmpty() && state.ledger() != null,
                state.stamp(),
                desired.configDigest());
    }

    /** {@link #plan} with the root that it is for, to be written to a file. */
    public SavedPlan save(ChangePlan plan) {
        return SavedPlan.of(source.root(), plan);
    }

    /**
     * Makes the applied state equal to the state that the files declare.
     *
     * @param note receives a sentence about a lock that was taken over, about interrupted steps, and about a server
     *     that will not see the changes before its next start
     * @throws ServiceException PRECONDITION_FAILED when the saved plan or the capability is for another state;
     *     FORBIDDEN naming every permission that the principal lacks, and CONFLICT when there is no cluster yet that
     *     its credential could be for, both before anything is changed
     */
    public ChangePlan apply(ApplyRequest request, Consumer<String> note) {
        DesiredState desired = desired();
        ClusterRoot root = source.root(config());
        Principal principal = request.principal();
        if (principal != null) {
            // A credential for another cluster takes no lock.
            RunAuthority.of(principal, root, RootState.read(root, ports.graphs()));
        }
        ChangePlan plan = locked(root, "apply", request.author(), note, () -> {
            RootState state = RootState.read(root, ports.graphs());
            RunAuthority authority = principal == null ? null : RunAuthority.of(principal, root, state);
            if (request.bootstrap() != null) {
                BootstrapCapability.requireFirst(root, state, desired);
                request.bootstrap().requireFor(root, desired);
            }
            ClusterPlanner planner = new ClusterPlanner(root, desired, ports.graphs(), state);
            Planned planned = planner.plan();
            if (authority != null) {
                authority.requireEffects(planned.changes());
            }
            if (request.plan() != null) {
                request.plan().requireFresh(root, plan(desired, state, planned));
            }
            noteOthers(root, state, note);
            return new ClusterApply(root, desired, ports.graphs(), request.origin(), Cluster::freshText)
                    .run(state, planner, planned, note);
        });
        if (plan.changes().stream().anyMatch(change -> change.disposition() != ChangePlan.Disposition.BLOCKED)) {
            writers(root, desired.catalogs().keySet())
                    .forEach((writer, ids) -> note.accept("%s holds %s; what was applied reaches it at its next start"
                            .formatted(writer, String.join(", ", ids))));
        }
        return plan;
    }

    /** The processes that hold graphs whose schema or existence a plan changes. */
    private NavigableMap<String, List<String>> writersOf(ClusterRoot root, ChangePlan plan) {
        return writers(
                root,
                plan.changes().stream()
                        .filter(change -> switch (Resource.Kind.ofAddress(change.resource())) {
                            case SCHEMA -> change.kind() == ChangePlan.Kind.UPDATE;
                            case GRAPH -> change.kind() == ChangePlan.Kind.DELETE;
                            case QUERY, POLICY -> false;
                        })
                        .map(change -> Resource.graphIdOf(change.resource()))
                        .distinct()
                        .toList());
    }

    private NavigableMap<String, List<String>> writers(ClusterRoot root, Iterable<String> graphIds) {
        NavigableMap<String, List<String>> graphsByWriter = new TreeMap<>();
        for (String graphId : graphIds) {
            GraphPlace graph = root.graph(graphId);
            String writer = ports.graphs().isGraph(graph) ? ports.graphs().writer(graph) : null;
            if (writer != null) {
                graphsByWriter.computeIfAbsent(writer, any -> new ArrayList<>()).add(graphId);
            }
        }
        return graphsByWriter;
    }

    /**
     * Approves a change that loses data: the deletion of a graph, or the drop of types that hold entities. Approving
     * twice gives the same approval.
     *
     * @param resource {@code graph.<id>} or {@code schema.<id>}
     * @throws ServiceException CONFLICT when the plan has no change of this resource that needs an approval
     */
    public Approval approve(String resource, @Nullable String actor, Consumer<String> note) {
        DesiredState desired = desired();
        ClusterRoot root = source.root(config());
        return locked(root, "approve", actor, note, () -> {
            RootState state = RootState.read(root, ports.graphs());
            state.requireActor(actor);
            Planned planned = new ClusterPlanner(root, desired, ports.graphs(), state).plan();
            Approval present = planned.used().get(resource);
            if (present != null) {
                return present;
            }
            String loss = planned.needed().get(resource);
            if (loss == null) {
                throw ServiceException.conflict("no change of `%s` needs an approval; %s"
                        .formatted(
                                resource,
                                planned.needed().isEmpty()
                                        ? "`service cluster plan` shows what would change"
                                        : "these do: "
                                                + String.join(
                                                        ", ", planned.needed().keySet())));
            }
            Approval approval = new Approval(
                    freshText(), resource, desired.configDigest(), state.stamp().revision(), loss, Stamps.now(), actor);
            Approvals.write(root, approval);
            return approval;
        });
    }

    /**
     * Removes the lock of a command whose process has ended.
     *
     * @param lockId the id that the refusal named
     * @return the lock that was removed
     * @throws ServiceException NOT_FOUND when there is no lock, PRECONDITION_FAILED when the lock is another one now
     * @throws ClusterConflictException when its process still runs on this machine
     */
    public ObjectNode forceUnlock(String lockId) {
        return ClusterLock.force(source.root(), Ulid.random(), lockId);
    }

    /**
     * The current content of the root. Opens every graph for reading.
     *
     * @throws StartRefusedException {@code cluster_state_missing} when nothing was ever applied or the ledger cannot be
     *     read
     */
    public ClusterStatus status() {
        return new StatusReader(source, source.root()).read(declared());
    }

    /** The declared resources; null when the files are not valid, which a status does not depend on. */
    private @Nullable DesiredState declared() {
        if (!source.hasFiles()) {
            return null;
        }
        try {
            return desired();
        } catch (InvalidConfigException e) {
            return null;
        }
    }

    /**
     * Settles interrupted steps, reads every graph and every content, and marks in the ledger what is not as applied.
     * Writes nothing when there is nothing new.
     *
     * @throws StartRefusedException {@code cluster_state_missing} when nothing was ever applied
     */
    public ClusterStatus refresh(@Nullable String actor, Consumer<String> note) {
        ClusterRoot root = source.root();
        root.requireLedger(source.options());
        locked(root, "refresh", actor, note, () -> {
            RootState state = RootState.read(root, ports.graphs());
            state.settled(root, ports.graphs()).values().forEach(note);
            new ClusterRefresh(root, ports.graphs(), actor).run(state);
            return state;
        });
        return status();
    }

    /**
     * Makes a lost or damaged ledger again from the files and the graphs; without files, from the graphs alone. The
     * cluster gets a new identity.
     *
     * @return null when there is nothing to make it of
     * @throws ServiceException CONFLICT when there is a ledger that can be read, or policies were applied and there are
     *     no files to say what they apply to
     */
    public @Nullable ClusterStatus importLedger(@Nullable String actor, Consumer<String> note) {
        DesiredState desired = source.hasFiles() ? desired() : DesiredState.nothing();
        ClusterRoot root = source.root();
        if (root.readLedger() == null
                && ports.graphs().list(root.address()).isEmpty()
                && new Recoveries(root, ports.graphs()).pending().isEmpty()) {
            return null;
        }
        locked(root, "import", actor, note, () -> {
            LedgerImport run = new LedgerImport(root, desired, ports.graphs(), actor, Cluster::freshText);
            StoredObject damaged = run.requireLost();
            if (!source.hasFiles()) {
                run.requireNoPolicies(source.options());
            }
            run.run(damaged, note);
            return root;
        });
        return status();
    }

    /**
     * The permission to install the declared policies on a root that was never initialised.
     *
     * @throws ServiceException CONFLICT when the root is initialised, BAD_REQUEST when no policy is declared
     */
    public BootstrapCapability bootstrapCapability() {
        DesiredState desired = desired();
        ClusterRoot root = source.root(config());
        BootstrapCapability.requireFirst(root, RootState.read(root, ports.graphs()), desired);
        return BootstrapCapability.of(freshText(), root, desired);
    }

    private static <T> T locked(
            ClusterRoot root, String operation, @Nullable String actor, Consumer<String> note, Supplier<T> work) {
        return ClusterLock.holding(root, Ulid.random(), operation, actor, note, work);
    }

    private ClusterConfig config() {
        read = read == null ? source.config() : read;
        return read;
    }

    private DesiredState desired() {
        return DesiredState.of(config(), queries);
    }

    private static String freshText() {
        return Ulid.random().toString();
    }
}
