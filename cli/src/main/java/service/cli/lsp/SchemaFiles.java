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

    private static @Nullable Path named(Path folder, Path config, Path queries) {
        YamlReader yaml = new YamlReader("cluster.yaml", "CL", new ArrayList<>());
        List<Path> schemas = new ArrayList<>();
        try {
            Map<String, Node> file = yaml.mapping(yaml.parse(Files.readString(config)), "the file");
            for (Node graph : yaml.mapping(file.get("graphs"), "graphs").values()) {
                Map<String, Node> members = yaml.mapping(graph, "a graph");
                String schema = yaml.text(members.get("schema"), "schema");
                if (schema == null) {
                    continue;
                }
                Path path = folder.resolve(schema).normalize();
                schemas.add(path);
                Node names = members.get("queries");
                if (names != null && names(yaml, names, folder, queries)) {
                    return path;
                }
            }
        } catch (IOException e) {
            return null;
        }
        return schemas.size() == 1 ? schemas.getFirst() : null;
    }

    private static boolean names(YamlReader yaml, Node node, Path folder, Path queries) {
        for (Node each : yaml.items(node, "queries")) {
            String name = yaml.text(each, "a query");
            if (name != null && queries.startsWith(folder.resolve(name).normalize())) {
                return true;
            }
        }
        return false;
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
