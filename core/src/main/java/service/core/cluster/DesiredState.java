package service.core.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import service.core.cluster.ClusterConfig.GraphConfig;
import service.core.cluster.ClusterConfig.SourceFile;
import service.core.config.ConfigDiagnostic;
import service.core.config.InvalidConfigException;
import service.core.error.Diagnostic;
import service.core.error.Suggestion;
import service.core.schema.Catalog;

/**
 * The state that a cluster's files declare: every resource by address, parsed and type-checked.
 *
 * @param configDigest over all resources: equal exactly when the declared states are equal
 * @param catalogs the compiled schema of each graph
 */
record DesiredState(
        NavigableMap<String, Resource> resources, NavigableMap<String, Catalog> catalogs, String configDigest) {
    /** Resources of a cluster, so that its ledger stays an object that is read at once. */
    static final int RESOURCES_MAX = 200_000;

    /**
     * Checks everything before it refuses.
     *
     * @throws InvalidConfigException with all findings
     */
    static DesiredState of(ClusterConfig config, QueryValidation validation) {
        List<ConfigDiagnostic> found = new ArrayList<>();
        DesiredState desired = collect(config, validation, found);
        if (!found.isEmpty()) {
            throw new InvalidConfigException(found);
        }
        return desired;
    }

    /** The state of a cluster whose files are not there: it declares nothing. */
    static DesiredState nothing() {
        return new DesiredState(new TreeMap<>(), new TreeMap<>(), digest(new TreeMap<>()));
    }

    /** The findings in the files that a configuration names. */
    static List<ConfigDiagnostic> findings(ClusterConfig config, QueryValidation validation) {
        List<ConfigDiagnostic> found = new ArrayList<>();
        collect(config, validation, found);
        return found;
    }

    private static DesiredState collect(
            ClusterConfig config, QueryValidation validation, List<ConfigDiagnostic> found) {
        NavigableMap<String, Resource> resources = new TreeMap<>();
        NavigableMap<String, Catalog> catalogs = new TreeMap<>();
        FileChecks checks = new FileChecks(validation, found);
        config.graphs().forEach((id, graph) -> {
            put(resources, Resource.graph(id, GraphSettings.of(graph)));
            put(resources, Resource.schema(id, graph.schema().text()));
            Catalog catalog = checks.catalog(graph.schema());
            if (catalog != null) {
                catalogs.put(id, catalog);
                addQueries(id, graph, catalog, checks, resources, found);
            }
        });
        config.policies().forEach((name, policy) -> {
            put(resources, Resource.policy(name, policy.file().text(), policy.appliesTo()));
            policy.read(found);
        });
        checkCount(resources.size(), found);
        return new DesiredState(resources, catalogs, digest(resources));
    }

    /** Adds a finding when there are more resources than a ledger may hold. */
    static void checkCount(int resources, List<ConfigDiagnostic> found) {
        if (resources > RESOURCES_MAX) {
            found.add(new ConfigDiagnostic(
                    "CL-019",
                    "the files declare %d graphs, schemas, queries and policies together; a cluster has at most %d"
                            .formatted(resources, RESOURCES_MAX),
                    ClusterConfigReader.FILE,
                    0,
                    0));
        }
    }

    /** The digest over the addresses and digests of resources. */
    static String digest(NavigableMap<String, Resource> resources) {
        String[] parts = new String[2 * resources.size()];
        int n = 0;
        for (Resource resource : resources.values()) {
            parts[n++] = resource.address();
            parts[n++] = resource.digest();
        }
        return Stamps.of(parts);
    }

    /** The desired schema of a graph, compiled. */
    Catalog catalog(String graphId) {
        return Objects.requireNonNull(catalogs.get(graphId), graphId);
    }

    /** The source of the desired schema of a graph. */
    String source(String graphId) {
        return Objects.requireNonNull(resource("schema." + graphId).content());
    }

    Resource resource(String address) {
        return Objects.requireNonNull(resources.get(address), address);
    }

    private static void put(NavigableMap<String, Resource> resources, Resource resource) {
        resources.put(resource.address(), resource);
    }

    private static void addQueries(
            String graphId,
            GraphConfig graph,
            Catalog catalog,
            FileChecks checks,
            NavigableMap<String, Resource> resources,
            List<ConfigDiagnostic> found) {
        Map<String, String> fileOf = new HashMap<>();
        for (SourceFile file : graph.queries()) {
            QueryValidation.Checked checked = checks.queries(file, catalog);
            if (!checked.errors().isEmpty()) {
                continue;
            }
            List<QueryValidation.Declared> taken = checked.queries();
            if (file.query() != null) {
                QueryValidation.Declared named = checked.query(file.query());
                if (named == null) {
                    found.add(missing(file, checked.queries()));
                    continue;
                }
                taken = List.of(named);
            }
            for (QueryValidation.Declared query : taken) {
                String other = fileOf.putIfAbsent(query.name(), file.path());
                if (other != null && checks.isNew(file, query)) {
                    found.add(new ConfigDiagnostic(
                            "CL-014",
                            "graph `%s` has two stored queries named `%s`: in %s and in %s"
                                    .formatted(graphId, query.name(), other, file.path()),
                            file.path(),
                            query.line(),
                            query.column()));
                }
                put(resources, Resource.query(graphId, query.name(), file.text()));
            }
        }
    }

    private static ConfigDiagnostic missing(SourceFile file, List<QueryValidation.Declared> held) {
        List<String> names = held.stream().map(QueryValidation.Declared::name).toList();
        return new ConfigDiagnostic(
                "CL-014",
                "there is no query `%s` in %s, only %s".formatted(file.query(), file.path(), String.join(", ", names)),
                ClusterConfigReader.FILE,
                file.line(),
                file.column(),
                Suggestion.didYouMean(Objects.requireNonNull(file.query()), names));
    }

    /** Adds the findings of a file. */
    static void addFindings(List<Diagnostic> diagnostics, String path, List<ConfigDiagnostic> found) {
        diagnostics.forEach(diagnostic -> found.add(new ConfigDiagnostic(
                diagnostic.code(),
                diagnostic.message(),
                path,
                diagnostic.line(),
                diagnostic.column(),
                diagnostic.hint())));
    }
}
