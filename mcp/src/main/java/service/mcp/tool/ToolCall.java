package service.mcp.tool;

import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.cluster.Quarantine;
import service.core.cluster.ServedCluster;
import service.core.error.ServiceException;
import service.core.graph.Graph;
import service.core.graph.GraphAccess;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.http.auth.Rights;

/**
 * Who calls a tool, on which graphs and within which bounds.
 *
 * @param budget ends with the call
 * @param resultBytesMax the largest result, in bytes
 */
public record ToolCall(ServedCluster cluster, Rights rights, RequestBudget budget, long resultBytesMax) {
    /**
     * The graph for the caller; null when it does not exist or when the caller may not run stored reads there, which
     * callers must not be able to tell apart. The call counts for the graph from then on.
     *
     * @throws ServiceException GRAPH_QUARANTINED, to callers who could read the graph; TOO_MANY_REQUESTS when the graph
     *     has its share
     */
    @Nullable
    GraphAccess graph(String id) {
        Caller caller = rights.on(id);
        if (!caller.may(Action.INVOKE_QUERY) || !caller.may(Action.READ)) {
            return null;
        }
        Graph served = cluster.served().get(id);
        if (served != null) {
            budget.nameGraph(id);
            return served.as(caller);
        }
        Quarantine quarantine = cluster.quarantined().get(id);
        if (quarantine != null) {
            throw quarantine.refusal(id);
        }
        return null;
    }
}
