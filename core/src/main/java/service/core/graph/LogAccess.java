package service.core.graph;

import org.jspecify.annotations.Nullable;
import service.core.graph.request.CommitQuery;
import service.core.graph.request.DeletedBranchRecord;
import service.core.graph.request.MoveRecord;
import service.core.graph.request.Page;
import service.core.graph.request.TimeBudget;
import service.core.policy.Action;
import service.core.policy.Caller;

/**
 * What a graph's log says to one caller, beside the use-cases of {@link GraphAccess} and with its decisions and its
 * thread rule: commits, the moves of branches, and those that were deleted.
 */
public final class LogAccess {
    private final Graph graph;
    private final Caller caller;

    LogAccess(Graph graph, Caller caller) {
        this.graph = graph;
        this.caller = caller;
    }

    /** The commits of a branch's first-parent history, or of all branches, in pages, newest first. */
    public Page commits(CommitQuery query, TimeBudget time) {
        caller.require(Action.READ, graph.id());
        return graph.search.page(caller, query, time);
    }

    /** The moves of a branch, newest first, in pages. */
    public MoveRecord.Page moves(String branch, int limit, @Nullable Long before) {
        caller.require(Action.READ, graph.id());
        return graph.moves.of(caller, branch, limit, before);
    }

    /** The deleted branches whose last state is readable, in pages. */
    public DeletedBranchRecord.Page deletedBranches(int limit, @Nullable Integer before) {
        caller.require(Action.READ, graph.id());
        return graph.moves.deleted(caller, limit, before);
    }
}
