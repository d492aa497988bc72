package service.core.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an apply did, or would do.
 *
 * @param converged nothing is left to do
 */
public record ChangePlan(
        List<Change> changes, boolean converged, long ledgerRevision, String ledgerCas, String configDigest) {
    /** What happens to a resource. */
    public enum Kind {
        CREATE,
        UPDATE,
        DELETE;

        public String wireName() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** Whether it can happen. */
    public enum Disposition {
        APPLIED,
        DERIVED,
        BLOCKED;

        public String wireName() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /**
     * A change of one resource.
     *
     * @param reason why it is blocked, else null
     */
    public record Change(
            String resource,
            Kind kind,
            Disposition disposition,
            @Nullable String reason) {}

    public boolean blocked() {
        return changes.stream().anyMatch(change -> change.disposition() == Disposition.BLOCKED);
    }
}
