package service.core.policy;

import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;

/**
 * Who calls, and what the caller may do. Every door makes one from its credential and gives it to {@code Graph.as},
 * which decides each use-case by it.
 *
 * @param actor the author of the caller's commits; null where callers are not authenticated
 */
public record Caller(@Nullable String actor, Permissions permissions) {
    /** A caller of a public route, who may do nothing else. */
    public static final Caller NONE = new Caller(null, Permissions.OnEveryBranch.NOTHING);

    /** A caller who may do everything. */
    public static Caller unrestricted(@Nullable String actor) {
        return new Caller(actor, Permissions.OnEveryBranch.ALL);
    }

    /** Whether the caller may do the action on some branch. */
    public boolean may(Action action) {
        return permissions.allowSomewhere(action);
    }

    /** Whether the caller may do the action on a branch. */
    public boolean may(Action action, String branch) {
        return permissions.allow(action, branch);
    }

    /** Whether the caller may do the action on every branch, where that is known without asking for each. */
    public boolean mayOnEveryBranch(Action action) {
        return permissions.allowEverywhere(action);
    }

    /** Whether the caller's policy protects the branch. */
    public boolean isProtected(String branch) {
        return permissions.isProtected(branch);
    }

    /**
     * Refuses an action that the caller may do on no branch.
     *
     * @param graph the graph that it applies to; null for an action of the server
     * @throws ServiceException FORBIDDEN
     */
    public void require(Action action, @Nullable String graph) {
        if (!may(action)) {
            throw new ServiceException(
                    ErrorCode.FORBIDDEN,
                    "you may not " + action.wireName() + (graph == null ? " here" : " graph `" + graph + "`")
                            + permissions.reason(),
                    new ErrorDetail.Forbidden(action.wireName(), graph, null));
        }
    }

    /**
     * Refuses an action that the caller may not do on a branch. The answer is the same whether the branch exists or
     * not.
     *
     * @throws ServiceException FORBIDDEN
     */
    public void require(Action action, String graph, String branch) {
        if (!may(action, branch)) {
            throw new ServiceException(
                    ErrorCode.FORBIDDEN,
                    "you may not %s branch `%s` of graph `%s`%s"
                            .formatted(action.wireName(), branch, graph, permissions.reason()),
                    new ErrorDetail.Forbidden(action.wireName(), graph, branch));
        }
    }
}
