package service.core.policy;

import java.util.Set;
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
    public static final Caller NONE = new Caller(null, new Permissions.OnEveryBranch(Set.of()));

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

    /**
     * Refuses an action that the caller may do on no branch.
     *
     * @param graph the graph that it applies to; null for an action of the server
     * @throws ServiceException FORBIDDEN
     */
    public void require(Action action, @Nullable String graph) {
        if (!may(action)) {
            throw refusal(action, graph);
        }
    }

    /**
     * Refuses an action that the caller may not do on a branch.
     *
     * @throws ServiceException FORBIDDEN
     */
    public void require(Action action, String graph, String branch) {
        if (!may(action, branch)) {
            throw refusal(action, graph);
        }
    }

    private static ServiceException refusal(Action action, @Nullable String graph) {
        return new ServiceException(
                ErrorCode.FORBIDDEN,
                "you may not " + action.wireName() + (graph == null ? " here" : " graph `" + graph + "`"),
                new ErrorDetail.Forbidden(action.wireName(), graph, null));
    }
}
