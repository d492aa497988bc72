package service.core.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import service.core.blob.ExternalBases;
import service.core.cluster.ClusterConfig.GraphConfig;
import service.core.cluster.ClusterConfig.PolicyConfig;
import service.core.cluster.ClusterConfig.SourceFile;
import service.core.config.ConfigDiagnostic;
import service.core.config.InvalidConfigException;
import service.core.config.YamlReader;
import service.core.error.Suggestion;
import service.core.port.ConfigFiles;
import service.core.port.EmbeddingSource;

/** Reads {@code cluster.yaml} and every file that it names. Collects all findings before it refuses. */
final class ClusterConfigReader {
    static final String FILE = "cluster.yaml";

    private static final Set<String> GRAPH_KEYS =
            Set.of("schema", "queries", "retention", "external_blobs", "fast_forward", "embedding_provider");
    private static final Set<String> RESERVED_GRAPH_IDS =
            Set.of("discovery", "policies", "healthz", "readyz", "openapi", "graphs", "mcp");

    private final ConfigFiles files;
    private final List<ConfigDiagnostic> found = new ArrayList<>();
    private final YamlReader yaml = new YamlReader(FILE, "CL", found);
    private final ProviderReader providers = new ProviderReader(yaml);

    private ClusterConfigReader(ConfigFiles files) {
        this.files = files;
    }

    /**
     * Reads a cluster's directory.
     *
     * @throws InvalidConfigException with all findings, also those in the schemas, queries and policies that can be
     *     read
     */
    static ClusterConfig read(ConfigFiles files, QueryValidation validation) {
        ClusterConfigReader reader = new ClusterConfigReader(files);
        ClusterConfig config = reader.readAll();
        if (!reader.found.isEmpty() || config == null) {
            if (config != null) {
                reader.found.addAll(DesiredState.findings(config, validation));
            }
            throw new InvalidConfigException(reader.providers.shown(reader.found));
        }
        return config;
    }

    /**
     * Reads only the location of the applied state; a server at its start may read nothing else of a file that was not
     * applied.
     *
     * @return the {@code storage} entry, or null when there is none
     * @throws InvalidConfigException when the file is missing or broken
     */
    static @Nullable String readStorage(ConfigFiles files) {
        ClusterConfigReader reader = new ClusterConfigReader(files);
        Node root = reader.parseFile();
        String storage =
                reader.yaml.text(reader.yaml.mapping(root, "the cluster").get("storage"), "storage");
        if (!reader.found.isEmpty()) {
            throw new InvalidConfigException(reader.found);
        }
        return storage;
    }

    private @Nullable Node parseFile() {
        SourceFile file = readFile(FILE, null);
        return file == null ? null : yaml.parse(file.text());
    }

    private @Nullable ClusterConfig readAll() {
        Node root = parseFile();
        if (root == null) {
            return null;
        }
        Map<String, Node> top = yaml.object(
                root,
                "the cluster",
                Set.of("version", "metadata", "storage", "state", "graphs", "policies", "providers"));
        checkState(top.get("state"));
        String version = yaml.text(top.get("version"), "version");
        if (!top.containsKey("version")) {
            yaml.report(root, "006", "there is no version; write `version: 1`");
        } else if (!"1".equals(version)) {
            yaml.report(top.get("version"), "006", "version must be 1");
        }
        Map<String, Node> metadata = yaml.object(top.get("metadata"), "metadata", Set.of("name"));
        String name = yaml.text(metadata.get("name"), "metadata.name");
        providers.read(top.get("providers"));
        NavigableMap<String, GraphConfig> graphs = new TreeMap<>();
        Map<String, Node> declared = yaml.mapping(top.get("graphs"), "graphs");
        for (Map.Entry<String, Node> entry : declared.entrySet()) {
            GraphConfig graph = readGraph(entry.getKey(), entry.getValue());
            if (graph != null) {
                graphs.put(entry.getKey(), graph);
            }
        }
        NavigableMap<String, PolicyConfig> policies = new TreeMap<>();
        Map<String, String> boundBy = new TreeMap<>();
        for (Map.Entry<String, Node> entry :
                yaml.mapping(top.get("policies"), "policies").entrySet()) {
            PolicyConfig policy = readPolicy(entry.getKey(), entry.getValue(), declared.keySet(), boundBy);
            if (policy != null) {
                policies.put(entry.getKey(), policy);
            }
        }
        return new ClusterConfig(
                name == null ? files.name() : name, yaml.text(top.get("storage"), "storage"), graphs, policies);
    }

    /** {@code state} says what holds always: the cluster's root keeps the applied state, and commands lock it. */
    private void checkState(@Nullable Node node) {
        if (node == null) {
            return;
        }
        Map<String, Node> keys = yaml.object(node, "state", Set.of("backend", "lock"));
        String backend = yaml.text(keys.get("backend"), "state.backend");
        String lock = yaml.text(keys.get("lock"), "state.lock");
        if (!"cluster".equals(backend) || !"true".equals(lock)) {
            yaml.report(
                    node,
                    "006",
                    "state is `{ backend: cluster, lock: true }` or left out: the cluster's root keeps the applied state");
        }
    }

    private @Nullable GraphConfig readGraph(String id, Node node) {
        if (!id.matches("[A-Za-z0-9-]{1,64}") || RESERVED_GRAPH_IDS.contains(id)) {
            yaml.reportKey(
                    node,
                    "007",
                    "`"
                            + id
                            + "` cannot name a graph: 1 to 64 of A-Z a-z 0-9 - and none of "
                            + String.join(
                                    ", ", RESERVED_GRAPH_IDS.stream().sorted().toList()));
        }
        String what = "graph `" + id + "`";
        if (yaml.isNothing(node)) {
            yaml.reportKey(node, "003", what + " is empty; indent its keys (schema, queries) further than its name");
            return null;
        }
        Map<String, Node> keys = yaml.object(node, what, GRAPH_KEYS);
        Node schemaNode = keys.get("schema");
        if (schemaNode == null) {
            yaml.reportKey(node, "008", what + " names no schema");
            return null;
        }
        SourceFile schema = readSource(schemaNode, node, what + ": schema");
        List<SourceFile> queries = readQueries(keys.get("queries"), what + ": queries");
        String retention = readRetention(keys.get("retention"), what + ": retention");
        List<String> blobs = readExternalBlobs(keys.get("external_blobs"), what);
        boolean fastForwards = readFastForward(keys.get("fast_forward"), what + ": fast_forward");
        EmbeddingSource embeddings = providers.named(keys.get("embedding_provider"), what + ": embedding_provider");
        return schema == null ? null : new GraphConfig(schema, queries, retention, blobs, fastForwards, embeddings);
    }

    private List<SourceFile> readQueries(@Nullable Node node, String what) {
        List<SourceFile> sources = new ArrayList<>();
        if (node instanceof SequenceNode) {
            for (Node item : yaml.items(node, what)) {
                addIfThere(sources, readSource(item, node, what));
            }
        } else if (node instanceof ScalarNode) {
            String path = yaml.text(node, what);
            if (path != null) {
                readFolder(path, node, what, sources);
            }
        } else if (node != null) {
            yaml.mapping(node, what).forEach((query, entry) -> {
                String entryWhat = what + "." + query;
                SourceFile file =
                        readSource(yaml.object(entry, entryWhat, Set.of("file")).get("file"), entry, entryWhat);
                if (file != null) {
                    YamlReader.Place place = yaml.placeOfKey(entry);
                    sources.add(new SourceFile(file.path(), file.text(), query, place.line(), place.column()));
                }
            });
        }
        return sources;
    }

    private void readFolder(String path, Node node, String what, List<SourceFile> sources) {
        switch (files.find(path)) {
            case ConfigFiles.Folder folder ->
                folder.files().stream()
                        .filter(file -> file.endsWith(".gq"))
                        .forEach(file -> addIfThere(sources, readFile(file, node)));
            case ConfigFiles.Text file ->
                yaml.report(
                        node, "009", what + ": " + file.path() + " is a file; write a list of files: `[" + path + "]`");
            case ConfigFiles.Unusable unusable -> report(node, path, unusable);
        }
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

    private @Nullable PolicyConfig readPolicy(
            String name, Node node, Set<String> graphIds, Map<String, String> boundBy) {
        String what = "policy `" + name + "`";
        if (!name.matches("[A-Za-z0-9_-]{1,64}")) {
            yaml.reportKey(node, "007", what + ": a bundle's name is 1 to 64 of A-Z a-z 0-9 _ -");
        }
        Map<String, Node> keys = yaml.object(node, what, Set.of("file", "applies_to"));
        SourceFile file = readSource(keys.get("file"), node, what + ": file");
        List<String> scopes = new ArrayList<>();
        for (Node item : yaml.items(keys.get("applies_to"), what + ": applies_to")) {
            String scope = yaml.text(item, what + ": applies_to");
            if (scope == null) {
                continue;
            }
            if (!scope.equals(PolicyConfig.CLUSTER_SCOPE) && !graphIds.contains(scope)) {
                yaml.report(
                        item,
                        "011",
                        what + " applies to `" + scope + "`, which is not a graph of this cluster",
                        YamlReader.nearestOrKnown(scope, graphIds));
            }
            String other = boundBy.putIfAbsent(scope, name);
            if (other != null) {
                yaml.report(
                        item,
                        "011",
                        "`" + scope + "` is bound by both `" + other + "` and `" + name + "`; one bundle a scope");
            }
            scopes.add(scope);
        }
        if (scopes.contains(PolicyConfig.CLUSTER_SCOPE) && scopes.size() > 1) {
            yaml.report(node, "011", what + " applies to graphs or to [cluster], never to both");
        }
        if (scopes.isEmpty()) {
            yaml.report(node, "011", what + " applies to nothing; name graphs or [cluster]");
        }
        return file == null ? null : new PolicyConfig(file, scopes);
    }

    /** @param parent the node at which a missing file is reported */
    private @Nullable SourceFile readSource(@Nullable Node node, Node parent, String what) {
        if (node == null) {
            yaml.report(parent, "008", what + " names no file");
            return null;
        }
        String path = yaml.text(node, what);
        return path == null ? null : readFile(path, node);
    }

    private @Nullable SourceFile readFile(String path, @Nullable Node node) {
        return switch (files.find(path)) {
            case ConfigFiles.Text file -> new SourceFile(file.path(), file.text(), null, 0, 0);
            case ConfigFiles.Folder folder -> {
                yaml.report(
                        node,
                        "009",
                        folder.path() + " is a directory, not a file",
                        "a directory of queries is written alone, without a list: `queries: " + path + "`");
                yield null;
            }
            case ConfigFiles.Unusable unusable -> {
                report(node, path, unusable);
                yield null;
            }
        };
    }

    private void report(@Nullable Node node, String path, ConfigFiles.Unusable unusable) {
        String code = switch (unusable.fault()) {
            case UNREADABLE -> "009";
            case OUTSIDE -> "012";
            case TOO_LARGE -> "013";
        };
        boolean missing = unusable.fault() == ConfigFiles.Fault.UNREADABLE;
        yaml.report(node, code, unusable.message(), missing ? nearFile(path) : null);
    }

    /** The file beside a missing one that may have been meant. */
    private @Nullable String nearFile(String path) {
        int slash = path.lastIndexOf('/');
        return files.find(slash < 0 ? "." : path.substring(0, slash)) instanceof ConfigFiles.Folder folder
                ? Suggestion.didYouMean(path, folder.files())
                : null;
    }

    private static void addIfThere(List<SourceFile> sources, @Nullable SourceFile source) {
        if (source != null) {
            sources.add(source);
        }
    }
}
