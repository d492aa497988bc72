package service.cli.boot;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.cluster.AppliedCluster.AppliedGraph;
import service.core.graph.Graph;
import service.core.graph.GraphAccess;
import service.core.graph.request.StoredQuerySource;
import service.core.policy.Caller;
import service.core.port.GraphPlace;
import service.core.port.GraphRules;
import service.core.port.GraphStorage;
import service.core.port.SearchGauges;
import service.core.port.StorageGauges;
import service.projection.storage.LmdbGraphStorage;

/** A graph with the storage under it; closing it closes both. */
public final class OpenedGraph implements AutoCloseable {
    private final Graph graph;
    private final GraphPlace place;
    private final GraphStorage storage;

    private OpenedGraph(
            String graphId,
            GraphPlace place,
            GraphStorage storage,
            List<StoredQuerySource> queries,
            GraphRules rules,
            Engine engine) {
        this.place = place;
        this.storage = storage;
        this.graph = new Graph(graphId, storage, queries, rules, engine.graphs());
    }

    /** Opens for reading; another process may be writing, or start to. */
    public static OpenedGraph reading(GraphAddress directory, Engine engine) {
        return new OpenedGraph(
                directory.graphId(),
                directory.place(),
                StorageKinds.graph(directory.place()).openForReading(),
                directory.storedQueries(),
                directory.readRules(),
                engine);
    }

    /** Opens for writing, which takes the writer lock. */
    public static OpenedGraph writing(GraphAddress directory, Engine engine) {
        return writing(directory.place(), directory.graphId(), directory.storedQueries(), directory.rules(), engine);
    }

    /** A graph of the applied cluster that a server serves, open or not. */
    static OpenedGraph known(AppliedGraph graph, KnownStorage<?> storage, Engine engine) {
        return new OpenedGraph(graph.graphId(), graph.place(), storage, graph.queries(), graph.rules(), engine);
    }

    private static OpenedGraph writing(
            GraphPlace place, String graphId, List<StoredQuerySource> queries, GraphRules rules, Engine engine) {
        return new OpenedGraph(
                graphId, place, StorageKinds.graph(place).open(engine.storageOf(graphId)), queries, rules, engine);
    }

    public Graph graph() {
        return graph;
    }

    /** Where the graph is stored. */
    GraphPlace place() {
        return place;
    }

    /** What other programs did with the stored graph while it is open here; null while it is closed. */
    @Nullable
    String detachedWhileOpen() {
        return storage instanceof KnownStorage<?> known ? known.detachedWhileOpen() : storage.detached();
    }

    /** {@link GraphStorage#compareStored}. */
    void compareStored() {
        storage.compareStored();
    }

    /** The graph for the process itself, which may do everything. */
    public GraphAccess unrestricted() {
        return graph.as(Caller.unrestricted(null));
    }

    /**
     * The storage of a graph that was opened for writing: for maintenance and measurement.
     *
     * @throws IllegalStateException when it was opened for reading
     */
    public LmdbGraphStorage storage() {
        if (storage instanceof LmdbGraphStorage written) {
            return written;
        }
        throw new IllegalStateException(graph.id() + " is open for reading only");
    }

    /** The state of the storage, for metrics; null while it is closed. */
    @Nullable
    StorageGauges gauges() {
        return storage.gauges();
    }

    /** The numbers of its search indexes, for metrics. */
    SearchGauges searchGauges() {
        return storage.search().gauges();
    }

    @Override
    public void close() {
        storage.close();
    }
}
