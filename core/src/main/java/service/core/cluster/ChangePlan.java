package service.core.cluster;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The changes that an apply made or would make.
 *
 * @param approvalsRequired the resources to approve before the blocked changes can be made
 * @param converged whether the applied state equals the desired one afterwards
 * @param ledger the ledger that the plan was made from, or that the apply has left
 * @param configDigest over all desired resources
 */
public record ChangePlan(
        List<Change> changes,
        List<String> approvalsRequired,
        boolean converged,
        LedgerStamp ledger,
        String configDigest) {
    /** The kind of a change. */
    public enum Kind {
        CREATE,
        UPDATE,
        DELETE;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether the change can be made. */
    public enum Disposition {
        /** It is made by its own step. */
        APPLIED,
        /** It follows from another change, or an interrupted apply has made it. */
        DERIVED,
        /** It cannot be made; the reason says why. */
        BLOCKED;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A change of one resource.
     *
     * @param reason why it is blocked, or what is remarkable; else null
     * @param migration the steps of a change of schema, each a JSON object; empty for other changes
     * @param codes why a change of schema is blocked, such as {@code PG-DS-102}; empty for other changes
     */
    public record Change(
            String resource,
            Kind kind,
            Disposition disposition,
            @Nullable String reason,
            List<String> migration,
            List<String> codes) {
        static Change of(String resource, Kind kind, Disposition disposition, @Nullable String reason) {
            return new Change(resource, kind, disposition, reason, List.of(), List.of());
        }

        Change blocked(String why) {
            return new Change(resource, kind, Disposition.BLOCKED, why, migration, codes);
        }

        boolean isBlocked() {
            return disposition == Disposition.BLOCKED;
        }
    }

    public boolean blocked() {
        return changes.stream().anyMatch(Change::isBlocked);
    }
}
