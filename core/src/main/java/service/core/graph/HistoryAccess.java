package service.core.graph;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.graph.branch.EntityBlame;
import service.core.graph.branch.EntityHistory;
import service.core.graph.branch.EntityPage;
import service.core.graph.request.TagPage;
import service.core.graph.request.TagRecord;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteOptions;
import service.core.graph.request.WriteTerms;
import service.core.policy.Action;
import service.core.policy.Caller;

/**
 * The use-cases of a graph's past for one caller, beside those of {@link GraphAccess}, with its decisions and its
 * thread rule: tags, and the history of an entity. A write of a tag is decided on the branch on which its commit was
 * made.
 */
public final class HistoryAccess {
    private final Graph graph;
    private final Caller caller;

    HistoryAccess(Graph graph, Caller caller) {
        this.graph = graph;
        this.caller = caller;
    }

    /**
     * The tags that the caller may see, by name.
     *
     * @param after begin after this name, which need not exist; null for the first
     */
    public TagPage tags(int limit, @Nullable String after) {
        caller.require(Action.READ, graph.id());
        return graph.tags.list(caller, limit, after);
    }

    public TagRecord tag(String name) {
        caller.require(Action.READ, graph.id());
        return graph.tags.get(caller, name);
    }

    /**
     * Names a commit. The message of the options is that of the tag.
     *
     * @param ref of a commit that the caller may read, and whose state is there
     */
    public CompletableFuture<TagRecord> createTag(WriteOptions options, String name, String ref, RequestBudget budget) {
        caller.require(Action.BRANCH_CREATE, graph.id());
        return graph.atNewest(budget)
                .tags
                .create(terms(options), name, ref, TimeBudget.ofRef(graph.settings(), budget));
    }

    /** Deletes a tag; returns it as it was. */
    public CompletableFuture<TagRecord> deleteTag(WriteOptions options, String name) {
        caller.require(Action.BRANCH_DELETE, graph.id());
        graph.newest.await();
        return graph.tags.delete(terms(options), name);
    }

    /** {@link EntityHistory#page}. */
    public EntityPage changesOf(
            EntityHistory.Request request, int limit, @Nullable String before, RequestBudget budget) {
        caller.require(Action.READ, graph.id());
        return graph.entities.page(caller, request, limit, before, graph.settings(), budget);
    }

    /** {@link EntityHistory#blame}. */
    public EntityBlame blame(EntityHistory.Request request, RequestBudget budget) {
        caller.require(Action.READ, graph.id());
        return graph.entities.blame(caller, request, graph.settings(), budget);
    }

    private WriteTerms terms(WriteOptions options) {
        return new WriteTerms(graph.id(), caller, options);
    }
}
