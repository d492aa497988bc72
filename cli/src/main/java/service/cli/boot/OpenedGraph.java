package service.cli.boot;

import java.nio.file.Path;
import java.util.List;
import service.core.blob.ExternalBases;
import service.core.gq.PlanCache;
import service.core.graph.Graph;
import service.core.graph.request.CompilingLanguage;
import service.core.graph.request.Settings;
import service.core.graph.request.StoredQuerySource;
import service.http.limit.Limit;
import service.http.limit.Limits;
import service.projection.query.VectorExecutor;
import service.projection.storage.LmdbGraphStorage;

/** A graph with the storage under it; closing it closes both. */
public final class OpenedGraph implements AutoCloseable {
    private static final long PLANS_WEIGHT_MAX = 16L << 20;

    private final Graph graph;
    private final LmdbGraphStorage storage;

    private OpenedGraph(
            String graphId, LmdbGraphStorage storage, List<StoredQuerySource> queries, ExternalBases externalBlobs) {
        this.storage = storage;
        this.graph = new Graph(
                graphId,
                storage,
                new VectorExecutor(),
                new CompilingLanguage(new PlanCache(PLANS_WEIGHT_MAX)),
                queries,
                Settings.ofEnvironment(System.getenv()),
                externalBlobs,
                Limits.fromEnvironment(System.getenv()).getInt(Limit.BATCH_RECORDS_MAX));
    }

    /** Opens for reading; another process may be writing. */
    public static OpenedGraph reading(GraphDirectory directory) {
        return new OpenedGraph(
                directory.graphId(),
                LmdbGraphStorage.openForReading(directory.path(), Stores.OPTIONS),
                directory.storedQueries(),
                ExternalBases.NONE);
    }

    /** Opens for writing, which takes the writer lock. */
    public static OpenedGraph writing(GraphDirectory directory) {
        return writing(directory.path(), directory.graphId(), directory.storedQueries(), directory.externalBlobs());
    }

    /** Opens for writing, with what the applied cluster says of the graph. */
    static OpenedGraph writing(
            Path directory, String graphId, List<StoredQuerySource> queries, ExternalBases externalBlobs) {
        return new OpenedGraph(
                graphId, LmdbGraphStorage.open(directory, Stores.serving(System.getenv())), queries, externalBlobs);
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
