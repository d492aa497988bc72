package service.core.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import service.core.cluster.ClusterConfig.PolicyConfig;
import service.core.cluster.ClusterConfig.SourceFile;
import service.core.config.YamlReader;
import service.core.port.ConfigFiles.Folder;

/**
 * The bundles that {@code graphs.policy} binds to the graphs of folders. The shared file is one bundle for all graphs
 * whose folders have none, and is called like the file up to its first dot; the bundle of a folder has the id of its
 * graph after this name.
 */
final class FolderPolicies {
    private static final String WHAT = "graphs.policy";

    private final YamlReader yaml;
    private final Node from;
    private final @Nullable Node policy;

    /** The name of the shared bundle; null, with a finding, when there is none. */
    private final @Nullable String name;

    private final Map<String, PolicyConfig> own = new TreeMap<>();
    private final List<String> sharing = new ArrayList<>();
    private @Nullable SourceFile shared;

    /** @param policy the entry, or null */
    FolderPolicies(YamlReader yaml, Node from, @Nullable Node policy) {
        this.yaml = yaml;
        this.from = from;
        this.policy = policy;
        this.name = policy == null ? null : name(policy);
    }

    private @Nullable String name(Node entry) {
        String path = yaml.text(entry, WHAT);
        if (path == null) {
            return null;
        }
        String name = FolderFiles.nameOf(path).replaceFirst("\\..*", "");
        if (PolicyConfig.isName(name)) {
            return name;
        }
        yaml.report(entry, "007", "%s: `%s` cannot name a bundle; %s".formatted(WHAT, name, PolicyConfig.NAMES));
        return null;
    }

    /** Binds the bundle of a folder, or else the shared one, to the folder's graph. */
    void add(String graphId, Folder folder, SourceFiles files) {
        SourceFile file = policy == null || name == null ? null : files.source(policy, from, WHAT);
        if (file == null) {
            return;
        }
        if (file.path().startsWith(folder.path() + "/")) {
            own.put(name + "-" + graphId, new PolicyConfig(file, List.of(graphId)));
        } else {
            shared = file;
            sharing.add(graphId);
        }
    }

    /** The bundles, by name. */
    Map<String, PolicyConfig> policies() {
        Map<String, PolicyConfig> policies = new TreeMap<>(own);
        if (name != null && shared != null) {
            policies.put(name, new PolicyConfig(shared, List.copyOf(sharing)));
        }
        return policies;
    }
}
