package service.core.schema.migrate;

import java.util.List;
import service.core.schema.Catalog;

/**
 * How an accepted schema becomes a desired one.
 *
 * @param accepted the schema in force
 * @param desired the compiled desired schema, with the identities of the accepted one
 * @param steps in the order in which they apply; may be empty although the texts differ, for example in comments
 * @param refusals empty when the migration may be applied
 * @param drops dropped types that still have entities, approved or not
 */
public record MigrationPlan(
        Catalog accepted, Catalog desired, List<MigrationStep> steps, List<SchemaRefusal> refusals, List<Drop> drops) {
    /**
     * A dropped type with live entities.
     *
     * @param kind whether it is a node or an edge type, as in answers
     * @param count live entities
     */
    public record Drop(String kind, String typeName, long count, boolean approved) {}

    public MigrationPlan {
        steps = List.copyOf(steps);
        refusals = List.copyOf(refusals);
        drops = List.copyOf(drops);
    }

    /** Whether both schemas are the same, so that nothing is to do. */
    public boolean isNothing() {
        return accepted.fingerprint().equals(desired.fingerprint());
    }

    public boolean isRefused() {
        return !refusals.isEmpty();
    }
}
