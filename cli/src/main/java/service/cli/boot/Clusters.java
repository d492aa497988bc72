package service.cli.boot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import service.core.cluster.AppliedCluster;
import service.core.cluster.Cluster;
import service.core.cluster.ClusterPorts;
import service.core.cluster.QueryValidation;
import service.core.error.Diagnostic;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.gq.GqCompiler;
import service.core.gq.lint.Lint;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;
import service.core.port.RootAddress;
import service.core.schema.Catalog;

/** Opens clusters with the query language and the graphs of this machine. */
public final class Clusters {
    /** What clusters use of this machine. */
    static final ClusterPorts PORTS =
            new ClusterPorts(StorageKinds::objects, new ClusterGraphs(), LocalConfigFiles::new);

    private Clusters() {}

    /**
     * A cluster.
     *
     * @param place the directory with its {@code cluster.yaml}, or its root as a URI
     */
    public static Cluster at(String place) {
        return RootAddress.isUri(place)
                ? new Cluster(root(place), new GqValidation(), PORTS)
                : new Cluster(Path.of(place), new GqValidation(), PORTS);
    }

    /**
     * A cluster with its files in a directory, and a root that is named beside them.
     *
     * @param root a URI
     */
    public static Cluster at(Path files, String root) {
        return new Cluster(files, root(root), new GqValidation(), PORTS);
    }

    /** The objects of a bucket, or of a prefix in one, for files: a write is sent once. Any thread. */
    public static ObjectStore bucket(String uri) {
        return StorageKinds.bucket(RootAddress.Bucket.parse(uri));
    }

    /** The code and the remedy of a command that cannot use its storage. */
    public static StartRefusedException refusal(ObjectStoreException failure) {
        return StorageKinds.refusal(failure);
    }

    /**
     * The root of a cluster.
     *
     * @param cluster its directory, or its root as a URI, which needs no configuration
     * @throws StartRefusedException {@code config_invalid}
     */
    static RootAddress root(String cluster) {
        if (!RootAddress.isUri(cluster)) {
            return AppliedCluster.rootOf(Path.of(cluster), PORTS);
        }
        try {
            return RootAddress.ofUri(cluster);
        } catch (ServiceException e) {
            throw new StartRefusedException("config_invalid", e.getMessage());
        }
    }

    /**
     * Whether the root of a cluster is in storage outside of this machine.
     *
     * @param cluster its directory, or its root as a URI
     */
    public static boolean isShared(String cluster) {
        return StorageKinds.isShared(root(cluster));
    }

    /**
     * The applied state of a cluster.
     *
     * @param cluster its directory, or its root as a URI, which needs no configuration
     * @throws StartRefusedException with a code of {@code docs/operations/deploy.md}
     */
    static AppliedCluster applied(String cluster) {
        return RootAddress.isUri(cluster)
                ? AppliedCluster.readRoot(root(cluster), PORTS)
                : AppliedCluster.read(Path.of(cluster), PORTS);
    }

    /** The graphs of a cluster as a server of it would list them ({@code GET /graphs}). */
    public static ObjectNode graphs(String cluster) {
        AppliedCluster applied = applied(cluster);
        TreeMap<String, String> reasons = new TreeMap<>();
        applied.quarantined().forEach((id, quarantine) -> reasons.put(id, quarantine.shown()));
        applied.graphs().keySet().forEach(id -> reasons.put(id, ""));
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ArrayNode graphs = answer.putArray("graphs");
        reasons.forEach((id, reason) -> {
            ObjectNode graph = graphs.addObject().put("graph_id", id);
            graph.put("display_name", id).put("state", reason.isEmpty() ? "served" : "quarantined");
            if (!reason.isEmpty()) {
                graph.put("reason", reason);
            }
        });
        return answer;
    }

    /** Compiles every query of a source. */
    private record GqValidation() implements QueryValidation {
        @Override
        public Checked check(String source, Catalog catalog) {
            List<Diagnostic> errors = GqCompiler.lint(source, catalog).stream()
                    .filter(finding -> !Lint.isWarning(finding))
                    .toList();
            List<Declared> queries = GqCompiler.queryPlaces(source).stream()
                    .map(query -> new Declared(query.name(), query.line(), query.column()))
                    .toList();
            return new Checked(queries, errors);
        }
    }
}
