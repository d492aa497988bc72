package service.projection;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import service.core.budget.ComputeShare;
import service.core.budget.MemoryPool;
import service.core.budget.ProcessBudget;
import service.core.budget.RequestBudget;
import service.core.event.SchemaChange;
import service.core.gq.PlanCache;
import service.core.graph.Graph;
import service.core.graph.GraphAccess;
import service.core.graph.GraphEngine;
import service.core.graph.feed.SharedPages;
import service.core.graph.load.LoadMode;
import service.core.graph.load.LoadResult;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationResult;
import service.core.graph.request.Settings;
import service.core.graph.request.StoredQuerySource;
import service.core.graph.request.WriteOptions;
import service.core.policy.Caller;
import service.core.port.GraphRules;
import service.core.port.GraphStorage;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;
import service.log.spill.FileSpillSpace;
import service.projection.query.VectorExecutor;

/** Graphs and budgets for tests, with the real executor and the real spill space. */
public final class TestEngine {
    private static final long AMPLE = 1L << 30;

    private TestEngine() {}

    /** A process with this memory for all requests together and for each one. */
    public static ProcessBudget process(long memoryBytes) {
        return new ProcessBudget(
                new MemoryPool(memoryBytes),
                new ComputeShare(2),
                memoryBytes,
                new FileSpillSpace(Path.of(System.getProperty("java.io.tmpdir")), AMPLE));
    }

    /** A budget with this memory. */
    public static RequestBudget budget(long memoryBytes, BooleanSupplier cancelled) {
        return process(memoryBytes).open(cancelled);
    }

    /** A budget that no test exhausts. */
    public static RequestBudget ample() {
        return budget(AMPLE, () -> false);
    }

    /** A graph over a storage, for a caller who may do everything. */
    public static GraphAccess graph(GraphStorage storage) {
        return graph(storage, process(AMPLE));
    }

    /** A graph over a storage, in a process. */
    public static GraphAccess graph(GraphStorage storage, ProcessBudget process) {
        return graph(storage, List.of(), process);
    }

    /** A graph with stored queries. */
    public static GraphAccess graph(GraphStorage storage, List<StoredQuerySource> stored) {
        return graph(storage, stored, process(AMPLE));
    }

    /** The first schema of a graph. */
    public static SchemaChange schema(Catalog catalog) {
        return new SchemaChange(catalog.source(), catalog.digest(), CatalogCodec.encode(catalog), List.of());
    }

    /** Runs statements as one mutation, and waits for its commit. */
    public static MutationResult mutate(GraphAccess graph, String branch, String statements) {
        return graph.mutate(
                        WriteOptions.NONE,
                        new MutationCall(branch, "query q() { " + statements + " }", null, null),
                        Settings.DEFAULTS,
                        ample())
                .join();
    }

    /** Loads lines of JSON, and waits for their commit. */
    public static LoadResult load(GraphAccess graph, String branch, LoadMode mode, String lines) {
        return graph.load(
                        WriteOptions.NONE,
                        branch,
                        null,
                        mode,
                        new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)),
                        ample())
                .join();
    }

    private static GraphAccess graph(GraphStorage storage, List<StoredQuerySource> stored, ProcessBudget process) {
        return new Graph(
                        "test",
                        storage,
                        stored,
                        GraphRules.NONE,
                        new GraphEngine(
                                new VectorExecutor(1 << 20),
                                new PlanCache(1 << 20),
                                Settings.DEFAULTS,
                                GraphEngine.BATCH_RECORDS_MAX_DEFAULT,
                                process,
                                new SharedPages(process.memory()),
                                source -> {
                                    throw new AssertionError("no provider");
                                }))
                .as(Caller.unrestricted("ada"));
    }
}
