package service.core.graph;

import java.util.List;
import service.core.budget.RequestBudget;
import service.core.graph.read.Embeddings;
import service.core.graph.read.SearchIndexes;
import service.core.graph.request.Settings;
import service.core.graph.request.TimeBudget;
import service.core.policy.Action;
import service.core.policy.Caller;

/**
 * The use-cases of a graph's search indexes and of its embedding provider for one caller, beside those of
 * {@link GraphAccess}, with its decisions and its thread rule.
 */
public final class SearchAccess {
    private final Graph graph;
    private final Caller caller;

    SearchAccess(Graph graph, Caller caller) {
        this.graph = graph;
        this.caller = caller;
    }

    /** {@link SearchIndexes#status}. */
    public SearchIndexes.Report searchStatus(RequestBudget budget) {
        caller.require(Action.ADMIN, graph.id());
        return graph.indexes.status(caller, TimeBudget.start("counting the values", graph.settings(), budget));
    }

    /**
     * Rebuilds indexes while requests are served; returns their state at the start of the rebuild.
     *
     * @param properties {@code Type.property} each; none for all
     */
    public SearchIndexes.Report rebuildSearch(List<String> properties, RequestBudget budget) {
        caller.require(Action.ADMIN, graph.id());
        graph.indexes.rebuild(properties);
        return searchStatus(budget);
    }

    /** {@link Embeddings#embed}, for one who may change some branch: the vectors are to be written. */
    public Embeddings.Result embed(Embeddings.Request request, Settings settings, RequestBudget budget) {
        caller.require(Action.CHANGE, graph.id());
        return graph.embeddings.embed(request, settings, budget);
    }
}
