package service.core.graph.branch;

import service.core.schema.Catalog;
import service.core.schema.EntityType;

/**
 * The schemas of two states that are compared. A migration changes entities without an event that names them: those of
 * a type that it drops, and those that lose or gain the value of a property. So types that it may have changed are
 * compared entity by entity ({@link #isMigrated}), all others where events name their entities.
 *
 * <p>Identities are never reused. So a type or property that one schema lacks is newer than that schema if its identity
 * was not minted yet there, and otherwise was dropped before it. Immutable; any thread.
 */
record StateComparison(Catalog before, Catalog after) {
    /** Whether both states have one schema. */
    boolean isOneSchema() {
        return before.fingerprint().equals(after.fingerprint());
    }

    /** Whether entities of a type may differ that no event between the states names. */
    boolean isMigrated(int type) {
        EntityType had = before.type(type);
        EntityType has = after.type(type);
        if (had == null || has == null) {
            return type < (had == null ? before : after).nextIdentity();
        }
        return givesMore(had, has, after) || givesMore(has, had, before);
    }

    /** Whether old entities may have values in properties of a type that the other schema does not have. */
    private static boolean givesMore(EntityType type, EntityType other, Catalog otherSchema) {
        return type.properties().stream()
                .filter(property -> other.property(property.identity()) == null)
                .anyMatch(property -> property.missing() != null || property.identity() < otherSchema.nextIdentity());
    }
}
