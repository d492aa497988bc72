package service.core.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import service.core.cluster.ClusterConfig.GraphConfig;
import service.core.cluster.ClusterConfig.PolicyConfig;
import service.core.config.ConfigDiagnostic;
import service.core.config.YamlReader;
import service.core.port.ConfigFiles;
import service.core.port.ConfigFiles.Folder;
import service.core.port.ConfigFiles.Found;

/**
 * Reads {@code graphs} of {@code cluster.yaml}: a mapping of ids to graphs, or folders ({@code from}), each of which is
 * a graph with the name of the folder, with graphs of the first form beside them ({@code also}).
 */
final class GraphsReader {
    private static final String FROM = "from";
    private static final String ALSO = "also";
    private static final String POLICY = "policy";
    private static final Set<String> KEYS_OF_FOLDERS = keysOfFolders();

    private final ConfigFiles files;
    private final YamlReader yaml;
    private final GraphReader graph;
    private final List<ConfigDiagnostic> warnings = new ArrayList<>();
    private final NavigableMap<String, GraphConfig> graphs = new TreeMap<>();

    /** Where each graph is declared, by id; also of those that cannot be read. */
    private final Map<String, String> declared = new HashMap<>();

    private final Map<String, PolicyConfig> policies = new TreeMap<>();

    GraphsReader(ConfigFiles files, YamlReader yaml, ProviderReader providers) {
        this.files = files;
        this.yaml = yaml;
        this.graph = new GraphReader(yaml, providers);
    }

    private static Set<String> keysOfFolders() {
        Set<String> keys = new HashSet<>(GraphReader.KEYS);
        keys.addAll(List.of(FROM, ALSO, POLICY));
        return Set.copyOf(keys);
    }

    /** The graphs that could be read, by id. */
    NavigableMap<String, GraphConfig> graphs() {
        return graphs;
    }

    /** The ids of all declared graphs. */
    Set<String> ids() {
        return declared.keySet();
    }

    /** The bundles that {@code policy} binds to the graphs of folders, by name. */
    Map<String, PolicyConfig> policies() {
        return policies;
    }

    /** What is to be considered, but does not stop an apply. */
    List<ConfigDiagnostic> warnings() {
        return warnings;
    }

    /** Reads the entry. */
    void read(@Nullable Node node) {
        Map<String, Node> entries = yaml.mapping(node, "graphs");
        Node from = entries.get(FROM);
        // A graph may be called `from`; it is a mapping.
        if (from instanceof ScalarNode || from instanceof SequenceNode) {
            yaml.object(node, "graphs", KEYS_OF_FOLDERS);
            yaml.mapping(entries.get(ALSO), "graphs.also").forEach(this::readNamed);
            readFolders(from, entries);
        } else {
            entries.forEach(this::readNamed);
        }
    }

    private void readNamed(String id, Node node) {
        declared.put(id, "`graphs.also`");
        String fault = GraphReader.fault(id);
        if (fault != null) {
            yaml.reportKey(node, "007", fault);
        }
        String what = "graph `" + id + "`";
        if (yaml.isNothing(node)) {
            yaml.reportKey(node, "003", what + " is empty; indent its keys (schema, queries) further than its name");
            return;
        }
        put(id, graph.read(what, node, yaml.object(node, what, GraphReader.KEYS), new SourceFiles(files, yaml)));
    }

    private void put(String id, @Nullable GraphConfig read) {
        if (read != null) {
            graphs.put(id, read);
        }
    }

    private void readFolders(Node from, Map<String, Node> keys) {
        GraphFolders folders = new GraphFolders(files, yaml, new YamlReader(ClusterConfigReader.FILE, "CL", warnings));
        Map<String, Found> shared = new HashMap<>();
        FolderPolicies bundles = new FolderPolicies(yaml, from, keys.get("policy"));
        for (Node item : from instanceof SequenceNode ? yaml.items(from, "graphs.from") : List.of(from)) {
            String entry = yaml.text(item, "graphs.from");
            for (Folder folder : entry == null ? List.<Folder>of() : folders.find(entry, item)) {
                String id = FolderFiles.nameOf(folder.path());
                if (isNew(id, folder, item)) {
                    SourceFiles sources = new SourceFiles(new FolderFiles(files, folder, shared), yaml);
                    put(id, graph.read("`graphs.from`", from, keys, sources));
                    bundles.add(id, folder, sources);
                }
            }
        }
        policies.putAll(bundles.policies());
    }

    /** Whether a folder declares a graph: its name is allowed, and no other one declares a graph of that name. */
    private boolean isNew(String id, Folder folder, Node item) {
        String fault = GraphReader.fault(id);
        if (fault != null) {
            yaml.report(item, "007", "the folder `" + folder.path() + "`: " + fault + "; rename the folder");
            return false;
        }
        String here = "the folder `" + folder.path() + "`";
        String other = declared.putIfAbsent(id, here);
        if (other != null) {
            yaml.report(
                    item,
                    "017",
                    "the graph `%s` is declared twice: by %s and by %s; keep one of them, or rename a folder"
                            .formatted(id, other, here));
        }
        return other == null;
    }
}
