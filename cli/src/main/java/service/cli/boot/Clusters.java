package service.cli.boot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import service.core.cluster.AppliedCluster;
import service.core.cluster.Cluster;
import service.core.cluster.ClusterPorts;
import service.core.cluster.QueryValidation;
import service.core.error.Diagnostic;
import service.core.gq.GqCompiler;
import service.core.gq.lint.Lint;
import service.core.schema.Catalog;
import service.log.object.DirectoryObjectStore;

/** Opens clusters with the query language and the graphs of this machine. */
public final class Clusters {
    /** The storage of clusters on this machine. */
    static final ClusterPorts PORTS =
            new ClusterPorts(DirectoryObjectStore::new, new LocalGraphs(), LocalConfigFiles::new);

    private Clusters() {}

    /** The cluster whose {@code cluster.yaml} is in this directory. */
    public static Cluster at(Path directory) {
        return new Cluster(directory, new GqValidation(), PORTS);
    }

    /** The graphs of a cluster as a server of it would list them ({@code GET /graphs}). */
    public static ObjectNode graphs(String cluster) {
        AppliedCluster applied = GraphDirectory.applied(cluster);
        TreeMap<String, String> reasons = new TreeMap<>(applied.quarantined());
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
            List<Diagnostic> errors = new ArrayList<>();
            List<Diagnostic> unavailable = new ArrayList<>();
            for (Diagnostic finding : GqCompiler.lint(source, catalog)) {
                if (GqCompiler.isUnavailable(finding)) {
                    unavailable.add(finding);
                } else if (!Lint.isWarning(finding)) {
                    errors.add(finding);
                }
            }
            List<Declared> queries = GqCompiler.queryPlaces(source).stream()
                    .map(query -> new Declared(query.name(), query.line(), query.column()))
                    .toList();
            return new Checked(queries, errors, unavailable);
        }
    }
}
