package service.cli.boot;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.core.cluster.AppliedCluster;
import service.core.cluster.AppliedPolicies;
import service.core.cluster.Quarantine;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.graph.request.StoredQuerySource;
import service.core.policy.Caller;
import service.core.policy.Permissions;
import service.core.policy.PolicyBundle;
import service.core.port.GraphPlace;
import service.core.port.GraphRules;
import service.core.port.RootAddress;
import service.core.schema.Catalog;

/**
 * A graph that a command works on directly, without a server.
 *
 * @param place where it is stored
 * @param graphId the id of the graph in its cluster; for a store, the name of the folder
 */
public record GraphAddress(GraphPlace place, String graphId) {
    /** A graph whose id is the name of its place. */
    static GraphAddress at(GraphPlace place) {
        return switch (place) {
            case GraphPlace.InDirectory directory ->
                new GraphAddress(place, directory.path().getFileName().toString());
            case GraphPlace.InBucket objects -> new GraphAddress(place, objects.graphId());
        };
    }

    /** A graph outside any cluster. */
    public static GraphAddress ofStore(Path store) {
        Path path = store.toAbsolutePath().normalize();
        if (!Files.isDirectory(path.resolve("log")) && Files.isDirectory(path.resolve("projection"))) {
            throw ServiceException.notFound("the graph in " + store
                    + " has lost its log: log/data.mdb is missing, and the tables beside it cannot replace it; put the"
                    + " directory log back, or restore a backup");
        }
        if (!Files.isDirectory(path.resolve("log"))) {
            throw ServiceException.notFound(
                    "there is no graph in " + store + "; make one with `service init --schema FILE " + store + "`");
        }
        return at(new GraphPlace.InDirectory(path));
    }

    /**
     * A graph of a cluster.
     *
     * @param cluster its directory, or its root as a URI
     */
    public static GraphAddress ofCluster(String cluster, String graphId) {
        GraphPlace place = Clusters.root(cluster).graph(graphId);
        if (!StorageKinds.graph(place).isGraph()) {
            throw unusable(cluster, graphId);
        }
        return new GraphAddress(place, graphId);
    }

    /**
     * Why a cluster's graph is not there: it was never applied, or a server would quarantine it, too.
     *
     * @throws StartRefusedException when the applied state cannot be read, which is the cause then
     */
    private static ServiceException unusable(String cluster, String graphId) {
        Quarantine quarantine = Clusters.applied(cluster).quarantined().get(graphId);
        return quarantine == null
                ? noGraph(cluster, graphId)
                : new ServiceException(
                        ErrorCode.GRAPH_QUARANTINED,
                        "graph `%s` of cluster %s cannot be used: %s".formatted(graphId, cluster, quarantine.reason()));
    }

    private static ServiceException noGraph(String cluster, String graphId) {
        return ServiceException.notFound("cluster "
                + cluster
                + " has no graph `"
                + graphId
                + "`; `service cluster status --cluster "
                + cluster
                + "` lists what is applied");
    }

    /**
     * Creates the graph of a store.
     *
     * @throws ServiceException CONFLICT when the directory exists
     */
    public static void createStore(Path store, Catalog catalog, @Nullable String actor) {
        new GraphInDirectory(store).create(catalog, actor);
    }

    /** The directory of a store that does not exist yet. */
    public static GraphAddress newStore(Path store) {
        Path path = store.toAbsolutePath().normalize();
        return at(new GraphPlace.InDirectory(path));
    }

    /**
     * The missing directory of a cluster's graph, for a restore.
     *
     * @throws CommandFailure when the applied cluster has no graph of that id
     */
    public static GraphAddress newInCluster(String cluster, String graphId) {
        AppliedCluster applied = Clusters.applied(cluster);
        if (!applied.graphs().containsKey(graphId) && !applied.quarantined().containsKey(graphId)) {
            throw noGraph(cluster, graphId);
        }
        return new GraphAddress(Clusters.root(cluster).graph(graphId), graphId);
    }

    /** The allowed bases of external blobs: those applied in its cluster; none for a store. */
    GraphRules rules() {
        RootAddress root = root();
        return root == null ? GraphRules.NONE : AppliedCluster.rules(root, graphId, Clusters.PORTS.stores());
    }

    /** The same for a command that only reads; none where the ledger cannot be read, because the graph can. */
    GraphRules readRules() {
        try {
            return rules();
        } catch (IllegalArgumentException | ServiceException e) {
            return GraphRules.NONE;
        }
    }

    /** The stored queries: those applied in its cluster; none for a store. */
    List<StoredQuerySource> storedQueries() {
        RootAddress root = root();
        try {
            return root == null ? List.of() : AppliedCluster.storedQueries(root, graphId, Clusters.PORTS);
        } catch (IllegalArgumentException | ServiceException e) {
            // The ledger cannot be read, but the graph can.
            return List.of();
        }
    }

    /**
     * Who works on the graph directly. Where no policy is applied to its cluster, every user who can open its directory
     * may do everything; otherwise the applied policy decides as it does in a server.
     *
     * @param actor the author; null when none is configured
     * @throws ServiceException FORBIDDEN when policies are applied, and there is no actor or none applies to the graph
     * @throws StartRefusedException when the ledger or a policy cannot be read
     */
    Caller caller(@Nullable String actor) {
        RootAddress root = root();
        AppliedPolicies policies =
                root == null ? AppliedPolicies.NONE : AppliedPolicies.read(root, Clusters.PORTS.stores());
        if (policies.isEmpty()) {
            return Caller.unrestricted(actor);
        }
        if (actor == null) {
            throw denied("a policy is applied to the cluster of graph `%s`, so an actor is needed; give --as ACTOR, or"
                    + " set operator.actor in config.yaml");
        }
        PolicyBundle policy = policies.ofGraph(graphId);
        if (policy == null) {
            throw denied("policies are applied to the cluster, and none of them applies to graph `%s`, so nothing is"
                    + " allowed there; bind a bundle to it in cluster.yaml and apply");
        }
        return new Caller(actor, Permissions.of(policy, actor));
    }

    private ServiceException denied(String why) {
        return new ServiceException(ErrorCode.FORBIDDEN, why.formatted(graphId));
    }

    /** Whether the graph belongs to a cluster. */
    public boolean isOfCluster() {
        return root() != null;
    }

    private @Nullable RootAddress root() {
        return switch (place) {
            case GraphPlace.InDirectory directory -> {
                Path graphs = directory.path().getParent();
                Path root = graphs != null && graphs.endsWith("graphs") ? graphs.getParent() : null;
                yield root == null ? null : new RootAddress.Directory(root);
            }
            case GraphPlace.InBucket objects -> objects.root();
        };
    }
}
