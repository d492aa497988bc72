package service.cli.boot;

import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import service.cli.embed.EmbeddingCalls;
import service.core.budget.ComputeShare;
import service.core.budget.MemoryPool;
import service.core.budget.ProcessBudget;
import service.core.gq.PlanCache;
import service.core.graph.GraphEngine;
import service.core.graph.feed.SharedPages;
import service.core.port.BlockGauges;
import service.core.port.CacheGauges;
import service.core.port.CommitMeter;
import service.core.port.SearchGauges;
import service.http.limit.Limit;
import service.log.spill.FileSpillSpace;
import service.projection.query.VectorExecutor;
import service.projection.resident.ResidentMemory;
import service.projection.search.index.SearchMemory;
import service.projection.search.index.SearchOptions;
import service.projection.storage.StorageOptions;

/**
 * The objects that all graphs of a process share.
 *
 * @param storage options for opening a graph for writing
 * @param observed the parts that metrics see
 */
public record Engine(GraphEngine graphs, StorageOptions storage, Observed observed) {
    /**
     * The cache of compiled queries permanently takes at most one part in this number of the pool, and the cache of
     * their physical plans half as much. They do not shrink for requests: a process short of memory would compile every
     * query again.
     */
    private static final int PLANS_SHARE = 16;

    private static final long PLANS_BYTES_MAX = 16L << 20;

    /**
     * The caches by name, the resident blocks, and the meter of the commits of each graph.
     *
     * @param caches read at a scrape
     * @param blocks read at a scrape
     * @param commits by the id of a graph
     * @param embeddings calls of embedding providers by outcome, read at a scrape
     * @param searches read at a scrape
     */
    public record Observed(
            Map<String, Supplier<CacheGauges>> caches,
            Supplier<BlockGauges> blocks,
            Function<String, CommitMeter> commits,
            Map<String, LongSupplier> embeddings,
            Supplier<SearchGauges.Totals> searches) {}

    /** The same engine, whose graphs report their commits. */
    Engine measuring(Function<String, CommitMeter> commits) {
        return new Engine(
                graphs,
                storage,
                new Observed(observed.caches, observed.blocks, commits, observed.embeddings, observed.searches));
    }

    /** The options for opening one graph for writing. */
    StorageOptions storageOf(String graphId) {
        return storage.withWriter(storage.writer().withMeter(observed.commits().apply(graphId)));
    }

    /** Makes the engine for this configuration. */
    public static Engine of(ServiceConfig config) {
        ServiceConfig.Memory memory = config.memory();
        ProcessBudget process = new ProcessBudget(
                new MemoryPool(memory.poolBytes()),
                new ComputeShare(Runtime.getRuntime().availableProcessors()),
                memory.queryBytesMax(),
                new FileSpillSpace(memory.spillDirectory(), memory.spillBytesMax()));
        long plans = Math.min(PLANS_BYTES_MAX, memory.poolBytes() / PLANS_SHARE);
        if (!process.memory().tryReserveFree(plans + plans / 2)) {
            throw new IllegalStateException("an empty pool has room for its caches");
        }
        VectorExecutor executor = new VectorExecutor(plans / 2);
        PlanCache compiled = new PlanCache(plans);
        SharedPages pages = new SharedPages(process.memory());
        EmbeddingCalls embeddings = new EmbeddingCalls(
                config.embedding().variables(), config.embedding().timeoutMillis());
        GraphEngine graphs = new GraphEngine(
                executor,
                compiled,
                config.settings(),
                config.limits().getInt(Limit.BATCH_RECORDS_MAX),
                process,
                pages,
                embeddings);
        ResidentMemory resident = new ResidentMemory(memory.residentBytesMax());
        process.memory().addSpare(resident::dropAll);
        SearchMemory views = new SearchMemory(process.memory(), config.search().memoryBytesMax());
        return new Engine(
                graphs,
                storage(config, views, resident),
                new Observed(
                        Map.of(
                                "compiled",
                                compiled::gauges,
                                "plans",
                                executor::plans,
                                "pages",
                                pages::gauges,
                                "blocks",
                                () -> cacheGauges(resident.gauges()),
                                "views",
                                views::gauges),
                        resident::gauges,
                        graph -> CommitMeter.NONE,
                        embeddings.counts(),
                        executor::searches));
    }

    /** The engine of this process. */
    public static Engine ofProcess() {
        return of(ServiceConfig.ofProcess());
    }

    /** Rows count as look-ups. */
    private static CacheGauges cacheGauges(BlockGauges blocks) {
        return new CacheGauges(blocks.blocks(), blocks.fromBlocks(), blocks.fromTables());
    }

    private static StorageOptions storage(ServiceConfig config, SearchMemory views, ResidentMemory resident) {
        StorageOptions usual = PlacedGraph.OPTIONS;
        return usual.withWriter(usual.writer()
                        .withQueue(
                                config.limits().getInt(Limit.WRITER_QUEUE_MAX),
                                usual.writer().groupCommandsMax())
                        .withCommitGroupMicros(config.settings().commitGroupMicros()))
                .withResident(resident)
                .withSearch(new SearchOptions(
                        Duration.ofMillis(config.settings().searchRefreshMillis()),
                        config.search().diskReserveBytes(),
                        views,
                        SearchOptions.Branches.DEFAULT,
                        config.settings().search().exactMax()))
                .withReadHold(Duration.ofSeconds(config.limits().get(Limit.READ_HOLD_SECONDS)));
    }

    public ProcessBudget process() {
        return graphs.process();
    }
}
