package service.core.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of a root ({@code service cluster status}).
 *
 * @param appliedDigest null before the first apply is complete
 * @param lock the lock's content; null when there is no lock
 */
public record ClusterStatus(
        String clusterId,
        String incarnation,
        String canonicalRoot,
        long ledgerRevision,
        String ledgerCas,
        @Nullable String appliedDigest,
        List<ResourceStatus> resources,
        @Nullable ObjectNode lock,
        int pendingRecoveries) {
    /**
     * An applied resource.
     *
     * @param status {@code applied}, or {@code drifted} with conditions that describe the difference
     */
    public record ResourceStatus(String resource, String digest, String status, List<String> conditions) {}
}
