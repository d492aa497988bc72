package service.core.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of a root ({@code service cluster status}).
 *
 * @param lock the lock's content; null when there is no lock
 */
public record ClusterStatus(
        ClusterIdentity cluster,
        LedgerStamp ledger,
        List<ResourceStatus> resources,
        @Nullable ObjectNode lock,
        int pendingRecoveries) {
    /**
     * An applied resource.
     *
     * @param status {@code applied}; {@code drifted} when the resource differs from what was applied;
     *     {@code quarantined} when a server would not serve the graph
     * @param conditions what is remarkable, each with the remedy
     */
    public record ResourceStatus(String resource, String digest, String status, List<String> conditions) {}
}
