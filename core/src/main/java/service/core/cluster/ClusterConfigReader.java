package service.core.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import service.core.cluster.ClusterConfig.PolicyConfig;
import service.core.cluster.ClusterConfig.SourceFile;
import service.core.config.ConfigDiagnostic;
import service.core.config.InvalidConfigException;
import service.core.config.YamlReader;
import service.core.port.ConfigFiles;

/** Reads {@code cluster.yaml} and every file that it names. Collects all findings before it refuses. */
final class ClusterConfigReader {
    static final String FILE = "cluster.yaml";

    private final ConfigFiles files;
    private final List<ConfigDiagnostic> found = new ArrayList<>();
    private final YamlReader yaml = new YamlReader(FILE, "CL", found);
    private final ProviderReader providers = new ProviderReader(yaml);
    private final SourceFiles sources;

    private ClusterConfigReader(ConfigFiles files) {
        this.files = files;
        this.sources = new SourceFiles(files, yaml);
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
            // The folders of `graphs.from` share what is wrong with an entry or a shared file.
            throw new InvalidConfigException(
                    reader.providers.shown(reader.found.stream().distinct().toList()));
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
        SourceFile file = sources.file(FILE, null);
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
        GraphsReader graphs = new GraphsReader(files, yaml, providers);
        graphs.read(top.get("graphs"));
        NavigableMap<String, PolicyConfig> policies = new TreeMap<>(graphs.policies());
        Map<String, String> boundBy = new TreeMap<>();
        graphs.policies().forEach((bundle, policy) -> policy.appliesTo().forEach(scope -> boundBy.put(scope, bundle)));
        for (Map.Entry<String, Node> entry :
                yaml.mapping(top.get("policies"), "policies").entrySet()) {
            PolicyConfig policy = readPolicy(entry.getKey(), entry.getValue(), graphs.ids(), boundBy);
            if (policy != null && policies.putIfAbsent(entry.getKey(), policy) != null) {
                yaml.reportKey(
                        entry.getValue(),
                        "011",
                        "graphs.policy makes a bundle `" + entry.getKey() + "` already; give one of them another name");
            }
        }
        return new ClusterConfig(
                name == null ? files.name() : name,
                yaml.text(top.get("storage"), "storage"),
                graphs.graphs(),
                policies,
                graphs.warnings());
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

    private @Nullable PolicyConfig readPolicy(
            String name, Node node, Set<String> graphIds, Map<String, String> boundBy) {
        String what = "policy `" + name + "`";
        if (!PolicyConfig.isName(name)) {
            yaml.reportKey(node, "007", what + ": " + PolicyConfig.NAMES);
        }
        Map<String, Node> keys = yaml.object(node, what, Set.of("file", "applies_to"));
        SourceFile file = sources.source(keys.get("file"), node, what + ": file");
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
}
