package service.core.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.nodes.Node;
import service.core.config.YamlReader;
import service.core.port.ConfigFiles;
import service.core.port.ConfigFiles.Folder;

/**
 * Finds the folders that an entry of {@code graphs.from} names: one folder, or a pattern in which {@code *} stands for
 * any characters within a name. A name that begins with a dot matches only a pattern that begins with one.
 */
final class GraphFolders {
    private static final char ANY = '*';

    private final ConfigFiles files;
    private final YamlReader yaml;

    /** Receives warnings. */
    private final YamlReader warnings;

    GraphFolders(ConfigFiles files, YamlReader yaml, YamlReader warnings) {
        this.files = files;
        this.yaml = yaml;
        this.warnings = warnings;
    }

    /** The folders, sorted; empty with a finding or a warning at the node. */
    List<Folder> find(String entry, Node node) {
        int first = entry.indexOf(ANY);
        if (first < 0) {
            return named(entry, node);
        }
        if (entry.contains("**")) {
            yaml.report(node, "017", "graphs.from: `" + entry + "` has `**`; write one `*` for each level of folders");
            return List.of();
        }
        int start = entry.lastIndexOf('/', first) + 1;
        int end = entry.endsWith("/") ? entry.length() - 1 : entry.length();
        Stream<Folder> found = folders(start == 0 ? "." : entry.substring(0, start), node);
        for (String name : entry.substring(start, end).split("/", -1)) {
            found = found.flatMap(folder -> inside(folder, name, node));
        }
        List<Folder> folders = new ArrayList<>(found.toList());
        if (folders.isEmpty()) {
            warnings.report(node, "018", "graphs.from: no folder matches `" + entry + "`, so it declares no graph");
        }
        return folders;
    }

    private List<Folder> named(String path, Node node) {
        return switch (files.find(path)) {
            case Folder folder -> List.of(folder);
            case ConfigFiles.Text file -> {
                yaml.report(node, "017", "graphs.from: " + file.path() + " is a file; name folders");
                yield List.of();
            }
            case ConfigFiles.Unusable unusable -> {
                String code = unusable.fault() == ConfigFiles.Fault.OUTSIDE ? "012" : "017";
                yaml.report(node, code, "graphs.from: there is no folder `" + path + "`: " + unusable.message());
                yield List.of();
            }
        };
    }

    private Stream<Folder> inside(Folder folder, String name, Node node) {
        if (name.indexOf(ANY) < 0) {
            return folders(folder.path() + "/" + name, node);
        }
        Pattern pattern = Pattern.compile(
                Stream.of(name.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")), Pattern.DOTALL);
        boolean hidden = name.startsWith(".");
        return folder.files().stream()
                .filter(path -> pattern.matcher(FolderFiles.nameOf(path)).matches()
                        && FolderFiles.nameOf(path).startsWith(".") == hidden)
                .flatMap(path -> folders(path, node));
    }

    /** The folder at a path, none when it is something else; one outside of the cluster's directory is a finding. */
    private Stream<Folder> folders(String path, Node node) {
        return switch (files.find(path)) {
            case Folder folder -> Stream.of(folder);
            case ConfigFiles.Text file -> Stream.empty();
            case ConfigFiles.Unusable unusable -> {
                if (unusable.fault() == ConfigFiles.Fault.OUTSIDE) {
                    yaml.report(node, "012", "graphs.from: " + unusable.message());
                }
                yield Stream.empty();
            }
        };
    }
}
