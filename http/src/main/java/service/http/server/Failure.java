package service.http.server;

import org.jspecify.annotations.Nullable;
import service.core.cluster.ServedCluster;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.error.StoredDamage;
import service.core.graph.Graph;
import service.http.observe.RequestLog;

/** Why a request failed, as its client is told. Damage and faults of the server are written into the log in full. */
final class Failure {
    private Failure() {}

    /**
     * The refusal for a failure. Notes damage at the graph.
     *
     * @param graphId the graph of the request, where it has one
     */
    static ServiceException refusal(
            Throwable cause, String requestId, @Nullable String graphId, ServedCluster cluster) {
        Graph graph = graphId == null ? null : cluster.served().get(graphId);
        String damage = graph == null ? StoredDamage.of(cause) : graph.damageIn(cause);
        if (damage != null) {
            RequestLog.damaged(requestId, graphId, damage);
            if (graph != null) {
                graph.markDamaged(damage);
            }
        }
        if (cause instanceof ServiceException known) {
            return known;
        }
        if (damage != null) {
            return new ServiceException(
                    ErrorCode.INTERNAL, "stored data is damaged; the server's log names it under this request id");
        }
        RequestLog.fault(requestId, cause);
        return new ServiceException(
                ErrorCode.INTERNAL, "the server failed; its log has the reason under this request id");
    }
}
