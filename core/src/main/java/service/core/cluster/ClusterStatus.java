package service.core.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a root holds ({@code service cluster status}).
 *
 * @param appliedDigest null before the first apply has finished
 * @param lock the lock's content, or null when nobody holds it
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
     * A resource as it is applied.
     *
     * @param status {@code applied}, or {@code drifted} with conditions that say how
     */
    public record ResourceStatus(String resource, String digest, String status, List<String> conditions) {}
}
