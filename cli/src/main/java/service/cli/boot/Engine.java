package service.cli.boot;

import service.core.budget.ComputeShare;
import service.core.budget.MemoryPool;
import service.core.budget.ProcessBudget;
import service.core.gq.PlanCache;
import service.core.graph.GraphEngine;
import service.core.graph.request.CompilingLanguage;
import service.http.limit.Limit;
import service.log.spill.FileSpillSpace;
import service.projection.query.VectorExecutor;
import service.projection.storage.StorageOptions;

/**
 * The objects that all graphs of a process share.
 *
 * @param storage options for opening a graph for writing
 */
public record Engine(GraphEngine graphs, StorageOptions storage) {
    /**
     * The cache of compiled queries permanently takes at most one part in this number of the pool, and the cache of
     * their physical plans half as much. They do not shrink for requests: a process short of memory would compile every
     * query again.
     */
    private static final int PLANS_SHARE = 16;

    private static final long PLANS_BYTES_MAX = 16L << 20;

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
        GraphEngine graphs = new GraphEngine(
                new VectorExecutor(plans / 2),
                new CompilingLanguage(new PlanCache(plans)),
                config.settings(),
                config.limits().getInt(Limit.BATCH_RECORDS_MAX),
                process);
        return new Engine(graphs, storage(config));
    }

    /** The engine of this process. */
    public static Engine ofProcess() {
        return of(ServiceConfig.ofProcess());
    }

    private static StorageOptions storage(ServiceConfig config) {
        StorageOptions usual = Stores.OPTIONS;
        return usual.withWriter(usual.writer()
                .withQueue(
                        config.limits().getInt(Limit.WRITER_QUEUE_MAX),
                        usual.writer().groupCommandsMax())
                .withCommitGroupMicros(config.settings().commitGroupMicros()));
    }

    public ProcessBudget process() {
        return graphs.process();
    }
}
