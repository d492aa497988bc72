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
import java.util.concurrent.CopyOnWriteArrayList;
import service.core.error.ServiceException;
import service.core.event.Origin;
import service.core.port.GraphPlace;
import service.core.port.GraphPort;
import service.core.port.RootAddress;
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

    final List<String> created = new CopyOnWriteArrayList<>();
    final List<String> migrated = new ArrayList<>();

    /** Types that hold entities. */
    final Set<String> full = new TreeSet<>();

    /** The processes that hold graphs, by graph id. */
    final Map<String, String> writers = new TreeMap<>();

    final Step step = new Step();

    private static Path path(GraphPlace place) {
        return ((GraphPlace.InDirectory) place).path();
    }

    @Override
    public boolean exists(GraphPlace place) {
        return Files.exists(path(place));
    }

    @Override
    public boolean isGraph(GraphPlace place) {
        return Files.isDirectory(path(place));
    }

    @Override
    public List<String> list(RootAddress root) {
        try (var entries = Files.list(path(root.graph("any")).getParent())) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> !name.startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    @Override
    public void create(GraphPlace place, String graphId, Catalog catalog, String actor) {
        step.before();
        try {
            Path beside = path(place).resolveSibling("." + graphId + ".new");
            Files.createDirectories(beside);
            Files.writeString(beside.resolve("schema"), catalog.source());
            Files.move(beside, path(place));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        created.add(graphId);
        step.after();
    }

    @Override
    public Observed observe(GraphPlace place) {
        try {
            return new Observed(Files.readString(path(place).resolve("schema")), null);
        } catch (IOException e) {
            return new Observed(null, "it has no schema");
        }
    }

    /** Drops of types need an approval when {@link #full} has them; a schema with an edge type is refused. */
    @Override
    public Migration planMigration(GraphPlace place, String graphId, String desired) {
        Set<String> before = types(observe(place).schemaSource());
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
        return new Migration(steps, refusals, drops, drops.isEmpty() ? List.of() : List.of("PG-DS-102"));
    }

    private static Set<String> types(String source) {
        Set<String> types = new TreeSet<>();
        SchemaCompiler.compile(source).nodes().forEach(type -> types.add(type.name()));
        return types;
    }

    @Override
    public void migrate(GraphPlace place, String graphId, String desired, boolean dropsApproved, Origin origin) {
        Migration migration = planMigration(place, graphId, desired);
        if (!migration.refusals().isEmpty()
                || (!dropsApproved && !migration.drops().isEmpty())) {
            throw ServiceException.conflict("not approved");
        }
        step.before();
        try {
            Files.writeString(path(place).resolve("schema"), desired);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        migrated.add(graphId);
        step.after();
    }

    @Override
    public void delete(GraphPlace place) {
        step.before();
        try {
            Files.delete(path(place).resolve("schema"));
            Files.delete(path(place));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        step.after();
    }

    @Override
    public void clear(GraphPlace place) {
        try {
            Path beside = path(place).resolveSibling("." + path(place).getFileName() + ".new");
            Files.deleteIfExists(beside.resolve("schema"));
            Files.deleteIfExists(beside);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String writer(GraphPlace place) {
        return writers.get(path(place).getFileName().toString());
    }
}
