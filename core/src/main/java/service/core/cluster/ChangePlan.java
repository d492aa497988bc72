package service.core.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes that an apply made or would make.
 *
 * @param converged whether the applied state equals the desired one afterwards
 */
public record ChangePlan(
        List<Change> changes, boolean converged, long ledgerRevision, String ledgerCas, String configDigest) {
    /** The kind of a change. */
    public enum Kind {
        CREATE,
        UPDATE,
        DELETE;

        public String wireName() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** Whether the change can be made. */
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
