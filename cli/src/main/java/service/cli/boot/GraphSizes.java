package service.cli.boot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.schema.EntityType;
import service.log.files.SparseFile;
import service.log.format.EventLog;
import service.log.lmdb.TableBytes;
import service.projection.resident.ResidentSize;
import service.projection.search.index.SearchOptions;
import service.projection.storage.EnvironmentBytes;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.ReadOnlyGraphStorage;

/** The sizes and counts of a graph, as {@code service stats} reports them. */
public final class GraphSizes {
    private GraphSizes() {}

    /**
     * The sizes of a graph.
     *
     * @param progress called with the bytes that were read since the last call; null to read no entries, without the
     *     kinds of bytes of each table
     */
    public static ObjectNode of(GraphAddress graph, @Nullable LongConsumer progress) {
        return StorageKinds.graph(graph.place()).withFiles(files -> of(graph.graphId(), files, progress));
    }

    private static ObjectNode of(String graphId, Path files, @Nullable LongConsumer progress) {
        try (ReadOnlyGraphStorage storage = ReadOnlyGraphStorage.open(files, PlacedGraph.OPTIONS);
                GraphSession session = storage.session()) {
            ObjectNode stats = JsonNodeFactory.instance
                    .objectNode()
                    .put("graph_id", graphId)
                    .put("log_offset", session.appliedOffset())
                    .put("log_bytes", size(files.resolve(EventLog.DIRECTORY), false))
                    .put("projection_bytes", size(files.resolve(LmdbGraphStorage.PROJECTION), false))
                    .put("search_bytes", size(files.resolve(SearchOptions.DIRECTORY), false))
                    .put("disk_bytes", size(files, true))
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
            ArrayNode tables = stats.putArray("tables");
            for (EnvironmentBytes environment : storage.bytes(progress)) {
                environment.tables().forEach(table -> write(table, tables.addObject(), environment.name()));
                stats.put(environment.name() + "_free_bytes", environment.freeBytes());
            }
            return stats;
        }
    }

    private static void write(TableBytes table, ObjectNode into, String environment) {
        into.put("environment", environment)
                .put("table", table.table())
                .put("entries", table.entries())
                .put("bytes", table.bytes());
        TableBytes.Kinds kinds = table.kinds();
        if (kinds != null) {
            into.put("key_bytes", kinds.keys())
                    .put("value_bytes", kinds.values())
                    .put("structure_bytes", kinds.structure())
                    .put("slack_bytes", kinds.slack());
        }
    }

    /** @param onDisk counts blocks, which free pages may lack */
    private static long size(Path directory, boolean onDisk) {
        long[] bytes = new long[1];
        try {
            if (Files.isDirectory(directory)) {
                Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        bytes[0] += onDisk ? SparseFile.blockBytes(file, attributes.size()) : attributes.size();
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
