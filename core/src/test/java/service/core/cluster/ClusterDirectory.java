package service.core.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import service.core.gq.GqCompiler;

/** A directory with a {@code cluster.yaml}, and helpers for tests. */
record ClusterDirectory(Path path, DirectoryGraphs graphs) {
    static final String SCHEMA = "node Person { name: String @key age: I32? }\n";
    static final String QUERY = "query everybody() { match { $p: Person } return { $p.name } }\n";

    static ClusterDirectory at(Path path) {
        return new ClusterDirectory(path, new DirectoryGraphs());
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
                (source, catalog) -> {
                    List<String> names = List.copyOf(GqCompiler.queryNames(source));
                    names.forEach(name -> GqCompiler.compile(source, name, catalog));
                    return names;
                },
                graphs);
    }

    ChangePlan apply() {
        return cluster().apply("act-ada", warning -> {});
    }

    /** Codes of the findings, each with its position. */
    List<String> findings() {
        return cluster().validate().stream()
                .map(found -> "%s %s:%d:%d".formatted(found.code(), found.file(), found.line(), found.column()))
                .toList();
    }

    /** Every file of the root by path, with its bytes as text and its time of change. */
    Map<String, String> files() {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(path)) {
            for (Path file : paths.filter(Files::isRegularFile).toList()) {
                files.put(
                        path.relativize(file).toString(),
                        Files.readString(file) + "\n" + Files.getLastModifiedTime(file));
            }
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
