package service.core.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.cluster.ClusterStatus.ResourceStatus;
import service.core.config.ConfigDiagnostic;
import service.core.config.InvalidConfigException;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.policy.PolicyBundle;
import service.core.port.ObjectStore.StoredObject;
import service.core.value.Ulid;

/**
 * The operations on a cluster: a directory with {@code cluster.yaml}, and the root with its applied state. Only local
 * roots.
 *
 * <p>Thread rule: one thread; the root's lock excludes other processes.
 */
public final class Cluster {
    private final Path directory;
    private final QueryValidation queries;
    private final ClusterPorts ports;

    public Cluster(Path directory, QueryValidation queries, ClusterPorts ports) {
        this.directory = directory;
        this.queries = queries;
        this.ports = ports;
    }

    /**
     * Parses and type-checks everything; needs no root.
     *
     * @return the findings; empty when the files are valid
     */
    public List<ConfigDiagnostic> validate() {
        try {
            DesiredState.of(ClusterConfigReader.read(directory), queries);
            return List.of();
        } catch (InvalidConfigException e) {
            return e.diagnostics();
        }
    }

    /**
     * The policy that the files bind to a scope, applied or not.
     *
     * @param scope a graph id, or {@code cluster}
     * @throws InvalidConfigException when {@code cluster.yaml} or the bundle is not valid
     * @throws ServiceException NOT_FOUND when no bundle applies to the scope
     */
    public PolicyBundle policy(String scope) {
        ClusterConfig config = ClusterConfigReader.read(directory);
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
                + directory.resolve(ClusterConfigReader.FILE)
                + " applies to `"
                + scope
                + "`; add a bundle under `policies` whose applies_to names it");
    }

    /**
     * Makes the applied state equal to the state that the files declare.
     *
     * @param actor recorded in the ledger, or null
     * @param warn receives a warning about a lock that was taken over, and about a server that will not see the changes
     *     before its next start
     * @throws InvalidConfigException when the files are not valid; nothing is changed
     * @throws ClusterConflictException when another process works on the root
     */
    public ChangePlan apply(@Nullable String actor, Consumer<String> warn) {
        ClusterConfig config = ClusterConfigReader.read(directory);
        DesiredState desired = DesiredState.of(config, queries);
        ClusterRoot root = ClusterRoot.of(directory, config.storage(), ports.stores());
        ChangePlan plan = ClusterLock.holding(
                root,
                freshId(),
                actor,
                warn,
                () -> new ClusterApply(
                                root,
                                desired,
                                ports.graphs(),
                                actor,
                                () -> freshId().toString())
                        .run());
        if (!plan.changes().isEmpty()) {
            tellOfServers(root, desired, warn);
        }
        return plan;
    }

    private void tellOfServers(ClusterRoot root, DesiredState desired, Consumer<String> warn) {
        Map<String, List<String>> graphsByWriter = new TreeMap<>();
        for (String graphId : desired.catalogs().keySet()) {
            Path graph = root.graphDirectory(graphId);
            String writer = ports.graphs().isDirectory(graph) ? ports.graphs().writer(graph) : null;
            if (writer != null) {
                graphsByWriter.computeIfAbsent(writer, any -> new ArrayList<>()).add(graphId);
            }
        }
        graphsByWriter.forEach((writer, ids) -> warn.accept("%s holds %s; what was applied reaches it at its next start"
                .formatted(writer, String.join(", ", ids))));
    }

    /**
     * Removes the lock of an apply whose process has ended.
     *
     * @param lockId the id that the refusal named
     * @return the lock that was removed
     * @throws ServiceException NOT_FOUND when there is no lock, PRECONDITION_FAILED when the lock is another one now
     * @throws ClusterConflictException when its process still runs on this machine
     */
    public ObjectNode forceUnlock(String lockId) {
        return ClusterLock.force(root(), freshId(), lockId);
    }

    /**
     * The current content of the root.
     *
     * @throws StartRefusedException {@code cluster_state_missing} when nothing was ever applied
     * @throws InvalidConfigException when {@code cluster.yaml} does not say where the root is
     */
    public ClusterStatus status() {
        ClusterRoot root = root();
        StoredObject found = root.readLedger();
        if (found == null) {
            throw new StartRefusedException(
                    "cluster_state_missing",
                    "nothing was ever applied in %s; run `service cluster apply --config %s`"
                            .formatted(root.canonical(), directory));
        }
        Ledger ledger = Ledger.parse(found.bytes());
        List<ResourceStatus> resources = new ArrayList<>();
        if (ledger.applied() != null) {
            ledger.applied().resources().values().forEach(resource -> resources.add(statusOf(root, resource)));
        }
        return new ClusterStatus(
                ledger.clusterId(),
                ledger.incarnation(),
                root.canonical(),
                ledger.revision(),
                Stamps.of(found.bytes()),
                ledger.applied() == null ? null : ledger.applied().configDigest(),
                resources,
                ClusterLock.read(root),
                root.recoveries().size());
    }

    private ResourceStatus statusOf(ClusterRoot root, Resource resource) {
        List<String> conditions = new ArrayList<>();
        if (resource.kind() == Resource.Kind.GRAPH) {
            Path graph = root.graphDirectory(resource.graphId());
            if (!ports.graphs().isDirectory(graph)) {
                conditions.add("the directory " + graph + " is missing");
            } else {
                String writer = ports.graphs().writer(graph);
                if (writer != null) {
                    conditions.add("written to by " + writer);
                }
            }
        } else if (root.readContent(resource.address(), resource.digest()) == null) {
            conditions.add("the catalog has lost its payload");
        }
        boolean drifted = conditions.stream().anyMatch(condition -> !condition.startsWith("written"));
        return new ResourceStatus(resource.address(), resource.digest(), drifted ? "drifted" : "applied", conditions);
    }

    private ClusterRoot root() {
        return ClusterRoot.of(directory, ClusterConfigReader.readStorage(directory), ports.stores());
    }

    private static Ulid freshId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return Ulid.of(System.currentTimeMillis(), random.nextInt(1 << 16), random.nextLong());
    }
}
