package service.cli.lsp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import service.core.config.YamlReader;

/**
 * Finds the schema that a file of queries is written for: that of the graph whose entry in the nearest
 * {@code cluster.yaml} names the file, or of the only graph; without such a file the only schema of the folder.
 */
final class SchemaFiles {
    private static final int FOLDERS_MAX = 32;

    private SchemaFiles() {}

    static @Nullable Path schemaOf(Path queries) {
        Path folder = queries.getParent();
        for (int i = 0; folder != null && i < FOLDERS_MAX; i++, folder = folder.getParent()) {
            Path config = folder.resolve("cluster.yaml");
            if (Files.isRegularFile(config)) {
                Path named = named(folder, config, queries);
                if (named != null) {
                    return named;
                }
            }
        }
        return only(queries.getParent());
    }

    /**
     * The files of queries that are written for a schema: those that the nearest {@code cluster.yaml} names beside it,
     * or those of its folder, of which it is the only schema.
     */
    static List<Path> queriesOf(Path schema) {
        Path folder = schema.getParent();
        for (int i = 0; folder != null && i < FOLDERS_MAX; i++, folder = folder.getParent()) {
            Path config = folder.resolve("cluster.yaml");
            if (Files.isRegularFile(config)) {
                List<Path> queries = new ArrayList<>();
                graphs(folder, config).stream()
                        .filter(graph -> graph.schema.equals(schema))
                        .forEach(graph -> graph.queries.forEach(path -> queries.addAll(within(path))));
                if (!queries.isEmpty()) {
                    return queries;
                }
            }
        }
        Path here = schema.getParent();
        return here != null && schema.equals(only(here)) ? within(here) : List.of();
    }

    /** The file, or the files of queries of a folder. */
    private static List<Path> within(Path path) {
        if (!Files.isDirectory(path)) {
            return Files.isRegularFile(path) ? List.of(path) : List.of();
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.filter(file -> file.toString().endsWith(".gq"))
                    .sorted()
                    .limit(LanguageServer.DOCUMENTS_MAX)
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** A graph of a {@code cluster.yaml}: its schema, and its files or folders of queries. */
    private record GraphFiles(Path schema, List<Path> queries) {}

    private static @Nullable Path named(Path folder, Path config, Path queries) {
        List<GraphFiles> graphs = graphs(folder, config);
        for (GraphFiles graph : graphs) {
            if (graph.queries.stream().anyMatch(queries::startsWith)) {
                return graph.schema;
            }
        }
        return graphs.size() == 1 ? graphs.getFirst().schema : null;
    }

    private static List<GraphFiles> graphs(Path folder, Path config) {
        YamlReader yaml = new YamlReader("cluster.yaml", "CL", new ArrayList<>());
        List<GraphFiles> graphs = new ArrayList<>();
        try {
            Map<String, Node> file = yaml.mapping(yaml.parse(Files.readString(config)), "the file");
            for (Node graph : yaml.mapping(file.get("graphs"), "graphs").values()) {
                Map<String, Node> members = yaml.mapping(graph, "a graph");
                String schema = yaml.text(members.get("schema"), "schema");
                if (schema != null) {
                    List<Path> queries = new ArrayList<>();
                    Node names = members.get("queries");
                    for (Node each : names == null ? List.<Node>of() : yaml.items(names, "queries")) {
                        String name = yaml.text(each, "a query");
                        if (name != null) {
                            queries.add(folder.resolve(name).normalize());
                        }
                    }
                    graphs.add(new GraphFiles(folder.resolve(schema).normalize(), queries));
                }
            }
        } catch (IOException e) {
            return List.of();
        }
        return graphs;
    }

    private static @Nullable Path only(@Nullable Path folder) {
        if (folder == null) {
            return null;
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> schemas = files.filter(file -> file.toString().endsWith(".pg"))
                    .limit(2)
                    .toList();
            return schemas.size() == 1 ? schemas.getFirst() : null;
        } catch (IOException e) {
            return null;
        }
    }
}
