package service.cli.boot;

import java.nio.file.Path;
import java.util.List;
import service.core.blob.ExternalBases;
import service.core.graph.Graph;
import service.core.graph.GraphEngine;
import service.core.graph.request.StoredQuerySource;
import service.projection.storage.LmdbGraphStorage;

/** A graph with the storage under it; closing it closes both. */
public final class OpenedGraph implements AutoCloseable {
    private final Graph graph;
    private final LmdbGraphStorage storage;

    private OpenedGraph(
            String graphId,
            LmdbGraphStorage storage,
            List<StoredQuerySource> queries,
            ExternalBases externalBlobs,
            GraphEngine engine) {
        this.storage = storage;
        this.graph = new Graph(graphId, storage, queries, externalBlobs, engine);
    }

    /** Opens for reading; another process may be writing. */
    public static OpenedGraph reading(GraphDirectory directory, GraphEngine engine) {
        return new OpenedGraph(
                directory.graphId(),
                LmdbGraphStorage.openForReading(directory.path(), Stores.OPTIONS),
                directory.storedQueries(),
                ExternalBases.NONE,
                engine);
    }

    /** Opens for writing, which takes the writer lock. */
    public static OpenedGraph writing(GraphDirectory directory, GraphEngine engine) {
        return writing(
                directory.path(), directory.graphId(), directory.storedQueries(), directory.externalBlobs(), engine);
    }

    /** Opens for writing, with what the applied cluster says of the graph. */
    static OpenedGraph writing(
            Path directory,
            String graphId,
            List<StoredQuerySource> queries,
            ExternalBases externalBlobs,
            GraphEngine engine) {
        return new OpenedGraph(
                graphId,
                LmdbGraphStorage.open(directory, Stores.serving(System.getenv())),
                queries,
                externalBlobs,
                engine);
    }

    public Graph graph() {
        return graph;
    }

    /** The storage itself: for maintenance and measurement. */
    public LmdbGraphStorage storage() {
        return storage;
    }

    @Override
    public void close() {
        storage.close();
    }
}
