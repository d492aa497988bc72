package service.core.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import service.core.error.ServiceException;
import service.core.port.GraphPort;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

/** Graphs that are directories with the source of their schema, created by a rename like the real ones. */
final class DirectoryGraphs implements GraphPort {
    /** A step that moves a graph can be made to fail before or after its effect. */
    static final class Step {
        Runnable before = () -> {};
        Runnable after = () -> {};

        void before() {
            before.run();
        }

        void after() {
            after.run();
        }
    }

    final List<String> created = new ArrayList<>();
    final List<String> migrated = new ArrayList<>();

    /** Types that hold entities. */
    final Set<String> full = new TreeSet<>();

    /** The processes that hold graphs, by graph id. */
    final Map<String, String> writers = new TreeMap<>();

    final Step step = new Step();

    @Override
    public boolean exists(Path directory) {
        return Files.exists(directory);
    }

    @Override
    public boolean isDirectory(Path directory) {
        return Files.isDirectory(directory);
    }

    @Override
    public List<String> list(Path folder) {
        try (var entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> !name.startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    @Override
    public void create(Path directory, String graphId, Catalog catalog, String actor) {
        step.before();
        try {
            Path beside = directory.resolveSibling("." + graphId + ".new");
            Files.createDirectories(beside);
            Files.writeString(beside.resolve("schema"), catalog.source());
            Files.move(beside, directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        created.add(graphId);
        step.after();
    }

    @Override
    public Observed observe(Path directory) {
        try {
            return new Observed(Files.readString(directory.resolve("schema")), null);
        } catch (IOException e) {
            return new Observed(null, "it has no schema");
        }
    }

    /** Drops of types need an approval when {@link #full} has them; a schema with an edge type is refused. */
    @Override
    public Migration planMigration(Path directory, String graphId, String desired) {
        Set<String> before = types(observe(directory).schemaSource());
        Set<String> after = types(desired);
        List<String> steps = new ArrayList<>();
        List<String> drops = new ArrayList<>();
        for (String type : before) {
            if (!after.contains(type)) {
                steps.add("{\"step\":\"drop_type\",\"kind\":\"node\",\"type_name\":\"%s\"}".formatted(type));
                if (full.contains(type)) {
                    drops.add("node type `%s` with 3 entities".formatted(type));
                }
            }
        }
        after.stream()
                .filter(type -> !before.contains(type))
                .forEach(type ->
                        steps.add("{\"step\":\"add_type\",\"kind\":\"node\",\"type_name\":\"%s\"}".formatted(type)));
        List<String> refusals =
                desired.contains("edge") ? List.of("PG-X edges are refused; leave them out") : List.of();
        return new Migration(steps, refusals, drops);
    }

    private static Set<String> types(String source) {
        Set<String> types = new TreeSet<>();
        SchemaCompiler.compile(source).nodes().forEach(type -> types.add(type.name()));
        return types;
    }

    @Override
    public void migrate(Path directory, String graphId, String desired, boolean dropsApproved, String actor) {
        Migration migration = planMigration(directory, graphId, desired);
        if (!migration.refusals().isEmpty()
                || (!dropsApproved && !migration.drops().isEmpty())) {
            throw ServiceException.conflict("not approved");
        }
        step.before();
        try {
            Files.writeString(directory.resolve("schema"), desired);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        migrated.add(graphId);
        step.after();
    }

    @Override
    public void delete(Path directory) {
        step.before();
        try {
            Files.delete(directory.resolve("schema"));
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        step.after();
    }

    @Override
    public void clear(Path directory) {
        try {
            Path beside = directory.resolveSibling("." + directory.getFileName() + ".new");
            Files.deleteIfExists(beside.resolve("schema"));
            Files.deleteIfExists(beside);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String writer(Path directory) {
        return writers.get(directory.getFileName().toString());
    }
}
