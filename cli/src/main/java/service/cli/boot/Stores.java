package service.cli.boot;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import service.core.event.EventFormatException;
import service.core.event.SchemaChange;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;
import service.core.schema.EntityType;
import service.log.files.DurableFiles;
import service.log.files.FileTrees;
import service.log.format.EventLog;
import service.log.lmdb.FileMask;
import service.log.lmdb.StorageFailure;
import service.projection.apply.CatchUp;
import service.projection.resident.ResidentSize;
import service.projection.storage.GraphVerification;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ReadOnlyGraphStorage;
import service.projection.storage.StorageOptions;

/** Creates, verifies, rebuilds and measures the directories of graphs. */
public final class Stores {
    static final StorageOptions OPTIONS = StorageOptions.defaults();

    private Stores() {}

    /**
     * Creates a graph. Its directory appears complete or not at all.
     *
     * @throws service.core.error.ServiceException CONFLICT when the directory exists
     */
    public static void create(Path directory, Catalog catalog, @Nullable String actor) {
        Path absolute = directory.toAbsolutePath().normalize();
        if (Files.exists(absolute)) {
            throw service.core.error.ServiceException.conflict(
                    directory + " exists already; name a directory that does not");
        }
        Path draft = draft(absolute);
        FileMask.restrict();
        try {
            FileTrees.delete(draft);
            Files.createDirectories(absolute.getParent());
            LmdbGraphStorage.create(draft, OPTIONS, genesis(catalog), actor).close();
            DurableFiles.move(draft, absolute);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The place beside a graph where {@link #create} makes it. */
    static Path draft(Path directory) {
        return directory.resolveSibling("." + directory.getFileName() + ".new");
    }

    /** The schema change of a graph's first commit: it adds every type of the schema. */
    static SchemaChange genesis(Catalog catalog) {
        List<String> steps = new ArrayList<>();
        catalog.nodes().forEach(type -> steps.add(addType(type)));
        catalog.edges().forEach(type -> steps.add(addType(type)));
        return new SchemaChange(catalog.source(), catalog.digest(), CatalogCodec.encode(catalog), steps);
    }

    private static String addType(EntityType type) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("step", "add_type")
                .put("kind", type.kind().wireName())
                .put("type_name", type.name())
                .toString();
    }

    /**
     * Checks the checksum and the hash chain of every event, then replays the log into new tables and compares them
     * with the stored ones.
     *
     * @param folder where to make the new tables; null for beside the graph
     * @return the findings; {@code ok} is false where there are any
     */
    public static ObjectNode verify(GraphDirectory graph, @Nullable Path folder) {
        try {
            return Places.graph(graph.place()).withCheckedFiles(files -> verify(graph.graphId(), files, folder));
        } catch (EventFormatException damage) {
            return unsound(graph, String.valueOf(damage.getMessage()));
        } catch (StorageFailure failure) {
            if (failure.kind() == StorageFailure.Kind.DISK_FULL) {
                throw new StorageFailure(
                        failure.kind(), failure.getMessage() + "; name a folder with room by --scratch DIR", failure);
            }
            String damage = failure.damage();
            if (damage == null) {
                throw failure;
            }
            return unsound(graph, damage);
        }
    }

    private static ObjectNode unsound(GraphDirectory graph, String finding) {
        ObjectNode report = JsonNodeFactory.instance.objectNode().put("graph_id", graph.graphId());
        report.put("ok", false)
                .put("events", 0)
                .put("changes", 0)
                .put("log_bytes", 0)
                .put("blobs", 0);
        report.putArray("findings").add(finding);
        return report;
    }

    private static ObjectNode verify(String graphId, Path files, @Nullable Path folder) {
        Path scratch = scratch(files, folder);
        try {
            GraphVerification.Report found = GraphVerification.run(files, OPTIONS, scratch);
            ObjectNode report = JsonNodeFactory.instance
                    .objectNode()
                    .put("graph_id", graphId)
                    .put("ok", found.sound())
                    .put("events", found.events())
                    .put("changes", found.changes())
                    .put("log_bytes", found.bytes())
                    .put("blobs", found.blobs());
            found.findings().forEach(report.putArray("findings")::add);
            return report;
        } finally {
            FileTrees.deleteOrWarn(scratch);
        }
    }

    private static Path scratch(Path files, @Nullable Path folder) {
        FileMask.restrict();
        try {
            if (folder != null) {
                return Files.createTempDirectory(folder, "verify-");
            }
            Path beside = files.resolveSibling("." + files.getFileName() + ".verify");
            if (Files.isWritable(files.toAbsolutePath().getParent())) {
                FileTrees.delete(beside);
                return Files.createDirectories(beside);
            }
            return Files.createTempDirectory("service-verify-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Drops the tables and rebuilds them from the log. */
    public static ObjectNode rebuild(GraphDirectory graph, LongConsumer progress) {
        CatchUp.Result result = Places.graph(graph.place()).rebuild(progress);
        return JsonNodeFactory.instance
                .objectNode()
                .put("graph_id", graph.graphId())
                .put("events", result.events())
                .put("changes", result.changes());
    }

    /** Sizes and counts of a graph. */
    public static ObjectNode stats(GraphDirectory graph) {
        return Places.graph(graph.place()).withFiles(files -> stats(graph.graphId(), files));
    }

    private static ObjectNode stats(String graphId, Path files) {
        try (ReadOnlyGraphStorage storage = ReadOnlyGraphStorage.open(files, OPTIONS);
                GraphSession session = storage.session()) {
            ObjectNode stats = JsonNodeFactory.instance
                    .objectNode()
                    .put("graph_id", graphId)
                    .put("log_offset", session.appliedOffset())
                    .put("log_bytes", size(files.resolve(EventLog.DIRECTORY)))
                    .put("projection_bytes", size(files.resolve(LmdbGraphStorage.PROJECTION)))
                    .put("branches", session.branchCount());
            Branch main = session.branch("main");
            if (main != null) {
                stats.put("commits_on_main", main.historyLength());
                try (GraphView view = session.view(main.headPoint())) {
                    long nodes = 0;
                    long edges = 0;
                    for (EntityType.NodeType type : view.catalog().nodes()) {
                        nodes += view.count(type.identity());
                    }
                    for (EntityType.EdgeType type : view.catalog().edges()) {
                        edges += view.count(type.identity());
                    }
                    stats.put("nodes", nodes).put("edges", edges).put("resident_bytes", ResidentSize.bytes(view));
                }
            }
            return stats;
        }
    }

    private static long size(Path directory) {
        long[] bytes = new long[1];
        try {
            if (Files.isDirectory(directory)) {
                Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        bytes[0] += attributes.size();
                        return FileVisitResult.CONTINUE;
                    }
                });
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes[0];
    }
}
