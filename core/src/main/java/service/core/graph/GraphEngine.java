package service.core.graph;

import service.core.budget.ProcessBudget;
import service.core.gq.QueryCompiler;
import service.core.graph.feed.SharedPages;
import service.core.graph.request.Settings;
import service.core.port.Embedder;
import service.core.port.QueryExecutor;

/**
 * What all graphs of a process share. Made by the composition root; any thread.
 *
 * @param executor runs plans
 * @param compiler compiles GQ; its cache of plans serves all graphs
 * @param settings what every request may use that does not ask for less
 * @param batchRecordsMax records of one load, and entities that one mutation changes, at the most
 * @param process the memory, the processors and the disk space of requests
 * @param pages the newest pages of all change feeds
 * @param embedders asks the providers of embeddings
 */
public record GraphEngine(
        QueryExecutor executor,
        QueryCompiler compiler,
        Settings settings,
        int batchRecordsMax,
        ProcessBudget process,
        SharedPages pages,
        Embedder.Maker embedders) {
    /** Where the process does not say otherwise. */
    public static final int BATCH_RECORDS_MAX_DEFAULT = 500_000;
}
