package service.core.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import service.core.gq.GqCompiler;
import service.core.gq.lint.Lint;
import service.core.testkit.MemoryObjectStore;

/**
 * A directory with a {@code cluster.yaml} and graphs, its applied state in memory, and helpers for tests.
 *
 * @param objects the applied state
 */
record ClusterDirectory(Path path, DirectoryGraphs graphs, MemoryObjectStore objects) {
    static final String SCHEMA = "node Person { name: String @key age: I32? }\n";
    static final String QUERY = "query everybody() { match { $p: Person } return { $p.name } }\n";

    static ClusterDirectory at(Path path) {
        return new ClusterDirectory(path, new DirectoryGraphs(), new MemoryObjectStore());
    }

    /** One graph `knowledge` with one stored query. */
    static ClusterDirectory example(Path path) {
        return at(path).file("cluster.yaml", """
                        version: 1
                        graphs:
                          knowledge:
                            schema: knowledge.pg
                            queries: queries/
                        """).file("knowledge.pg", SCHEMA).file("queries/people.gq", QUERY);
    }

    ClusterDirectory file(String name, String text) {
        try {
            Files.createDirectories(path.resolve(name).getParent());
            Files.writeString(path.resolve(name), text);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Cluster cluster() {
        return new Cluster(
                path,
                (source, catalog) -> new QueryValidation.Checked(
                        GqCompiler.queryPlaces(source).stream()
                                .map(query -> new QueryValidation.Declared(query.name(), query.line(), query.column()))
                                .toList(),
                        GqCompiler.lint(source, catalog).stream()
                                .filter(finding -> !Lint.isWarning(finding))
                                .toList()),
                ports());
    }

    private ClusterPorts ports() {
        return new ClusterPorts(root -> objects, graphs, TextFiles::new);
    }

    /** The applied state as a server reads it. */
    AppliedCluster applied() {
        return AppliedCluster.read(path, ports());
    }

    /** Replaces an object or creates it. */
    ClusterDirectory object(String key, String text) {
        objects.delete(key);
        objects.putIfAbsent(key, text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** The text of an object. */
    String text(String key) {
        return new String(Objects.requireNonNull(objects.get(key)).bytes(), StandardCharsets.UTF_8);
    }

    /** The keys of the applied state that begin with a prefix. */
    List<String> keys(String prefix) {
        return objects.list(prefix, "", 1_000);
    }

    /** Every object of the applied state with its version. */
    Map<String, String> versions() {
        Map<String, String> versions = new TreeMap<>();
        keys("").forEach(key ->
                versions.put(key, Objects.requireNonNull(objects.get(key)).version()));
        return versions;
    }

    ChangePlan apply() {
        return apply(note -> {});
    }

    ChangePlan apply(Consumer<String> note) {
        return cluster().apply(Cluster.ApplyRequest.by("act-ada"), note);
    }

    ChangePlan plan() {
        return cluster().plan(null, note -> {});
    }

    /** Codes of the findings, each with its position. */
    List<String> findings() {
        return cluster().validate().stream()
                .map(found -> "%s %s:%d:%d".formatted(found.code(), found.file(), found.line(), found.column()))
                .toList();
    }
}
