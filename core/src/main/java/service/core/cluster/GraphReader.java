package service.core.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import service.core.blob.ExternalBases;
import service.core.cluster.ClusterConfig.GraphConfig;
import service.core.cluster.ClusterConfig.SourceFile;
import service.core.config.YamlReader;
import service.core.port.EmbeddingSource;

/** Reads the keys that declare a graph in {@code cluster.yaml}. */
final class GraphReader {
    static final Set<String> KEYS =
            Set.of("schema", "queries", "retention", "external_blobs", "fast_forward", "embedding_provider");

    private static final Set<String> RESERVED_IDS =
            Set.of("discovery", "policies", "healthz", "readyz", "openapi", "graphs", "mcp");

    private final YamlReader yaml;
    private final ProviderReader providers;

    GraphReader(YamlReader yaml, ProviderReader providers) {
        this.yaml = yaml;
        this.providers = providers;
    }

    /** What is wrong with the id of a graph; null when it is allowed. */
    static @Nullable String fault(String id) {
        return id.matches("[A-Za-z0-9-]{1,64}") && !RESERVED_IDS.contains(id)
                ? null
                : "`" + id + "` cannot name a graph: 1 to 64 of A-Z a-z 0-9 - and none of "
                        + String.join(", ", RESERVED_IDS.stream().sorted().toList());
    }

    /**
     * Reads a graph.
     *
     * @param what names it in findings
     * @param node its declaration
     * @param keys those of the declaration
     * @return null, with a finding, when its schema cannot be read
     */
    @Nullable
    GraphConfig read(String what, Node node, Map<String, Node> keys, SourceFiles files) {
        Node schemaNode = keys.get("schema");
        if (schemaNode == null) {
            yaml.reportKey(node, "008", what + " names no schema");
            return null;
        }
        SourceFile schema = files.source(schemaNode, node, what + ": schema");
        List<SourceFile> queries = files.queries(keys.get("queries"), what + ": queries");
        String retention = readRetention(keys.get("retention"), what + ": retention");
        List<String> blobs = readExternalBlobs(keys.get("external_blobs"), what);
        boolean fastForwards = readFastForward(keys.get("fast_forward"), what + ": fast_forward");
        EmbeddingSource embeddings = providers.named(keys.get("embedding_provider"), what + ": embedding_provider");
        return schema == null ? null : new GraphConfig(schema, queries, retention, blobs, fastForwards, embeddings);
    }

    private @Nullable String readRetention(@Nullable Node node, String what) {
        if (node == null) {
            return null;
        }
        Map<String, Node> keys = yaml.object(node, what, Set.of("keep", "older_than"));
        String keep = yaml.text(keys.get("keep"), what + ".keep");
        String olderThan = yaml.text(keys.get("older_than"), what + ".older_than");
        if (keep != null && !keep.matches("[1-9][0-9]{0,17}")) {
            yaml.report(node, "010", what + ".keep must be a positive number of commits");
            return null;
        }
        if (olderThan != null && !olderThan.matches("[1-9][0-9]{0,8}[smhd]")) {
            yaml.report(node, "010", what + ".older_than must be a duration such as 30d or 12h");
            return null;
        }
        if (keep == null && olderThan == null) {
            yaml.report(node, "010", what + " names neither keep nor older_than");
            return null;
        }
        List<String> parts = new ArrayList<>();
        if (keep != null) {
            parts.add("\"keep\":" + keep);
        }
        if (olderThan != null) {
            parts.add("\"older_than\":\"" + olderThan + "\"");
        }
        return "{" + String.join(",", parts) + "}";
    }

    /** Whether merges may fast-forward: `allowed`, which is the default, or `never`. */
    private boolean readFastForward(@Nullable Node node, String what) {
        String word = node == null ? null : yaml.text(node, what);
        if (word != null && !word.equals("never") && !word.equals("allowed")) {
            yaml.report(node, "010", what + " is `never` or `allowed`, not `" + word + "`");
        }
        return word == null || !word.equals("never");
    }

    private List<String> readExternalBlobs(@Nullable Node node, String graph) {
        List<String> bases = new ArrayList<>();
        String what = graph + ": external_blobs";
        Map<String, Node> keys = node == null ? Map.of() : yaml.object(node, what, Set.of("allow"));
        for (Node item : yaml.items(keys.get("allow"), what + ".allow")) {
            Map<String, Node> of = yaml.object(item, what, Set.of("base", "scope"));
            String base = yaml.text(of.get("base"), what + ".base");
            checkScope(of.get("scope"), item, what + ".scope");
            if (base != null && isBase(base, item, what)) {
                bases.add(base);
            }
        }
        return bases;
    }

    /** Every base is for a server, which opens no reference itself. */
    private void checkScope(@Nullable Node node, Node item, String what) {
        String scope = node == null ? null : yaml.text(node, what);
        if (scope != null && !scope.equals("server_safe")) {
            yaml.report(item, "010", what + " is server_safe or absent, not `" + scope + "`");
        }
    }

    private boolean isBase(String base, Node item, String what) {
        try {
            ExternalBases.of(List.of(base));
            return true;
        } catch (IllegalArgumentException e) {
            yaml.report(item, "010", what + ".base `" + base + "` " + e.getMessage());
            return false;
        }
    }
}
