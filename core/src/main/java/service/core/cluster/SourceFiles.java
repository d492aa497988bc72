package service.core.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import service.core.cluster.ClusterConfig.SourceFile;
import service.core.config.YamlReader;
import service.core.error.Suggestion;
import service.core.port.ConfigFiles;

/** Reads the files that entries of {@code cluster.yaml} name. A file that cannot be used is a finding at its entry. */
final class SourceFiles {
    private static final String QUERIES = ".gq";

    private final ConfigFiles files;
    private final YamlReader yaml;

    SourceFiles(ConfigFiles files, YamlReader yaml) {
        this.files = files;
        this.yaml = yaml;
    }

    /** Files of stored queries: a folder, a file, a list of files, or a mapping of names to files. */
    List<SourceFile> queries(@Nullable Node node, String what) {
        List<SourceFile> sources = new ArrayList<>();
        if (node instanceof SequenceNode) {
            for (Node item : yaml.items(node, what)) {
                addIfThere(sources, source(item, node, what));
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
                        source(yaml.object(entry, entryWhat, Set.of("file")).get("file"), entry, entryWhat);
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
                        .filter(file -> file.endsWith(QUERIES))
                        .forEach(file -> addIfThere(sources, file(file, node)));
            case ConfigFiles.Text file
            when file.path().endsWith(QUERIES) -> sources.add(new SourceFile(file.path(), file.text(), null, 0, 0));
            case ConfigFiles.Text file ->
                yaml.report(
                        node, "009", what + ": " + file.path() + " is a file; write a list of files: `[" + path + "]`");
            case ConfigFiles.Unusable unusable -> report(node, path, unusable);
        }
    }

    /**
     * The file that an entry names.
     *
     * @param parent the node at which a missing entry is reported
     */
    @Nullable
    SourceFile source(@Nullable Node node, Node parent, String what) {
        if (node == null) {
            yaml.report(parent, "008", what + " names no file");
            return null;
        }
        String path = yaml.text(node, what);
        return path == null ? null : file(path, node);
    }

    /** The file at a path; null, with a finding at the node, when it cannot be used. */
    @Nullable
    SourceFile file(String path, @Nullable Node node) {
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
