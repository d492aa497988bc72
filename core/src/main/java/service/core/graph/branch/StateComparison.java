package service.core.graph.branch;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.PropertyRow;
import service.core.value.Value;

/**
 * Compares entities of two states that may have different schemas. A migration alone changes no entity: a dropped type
 * or property is left out, and an entity that is older than a property is compared with the value that the property
 * gives it.
 *
 * <p>Identities are never reused. So a type or property that one schema lacks is newer than that schema if its identity
 * was not minted yet there, and otherwise was dropped before it. Immutable; any thread.
 */
record StateComparison(Catalog before, Catalog after) {
    /** Whether both states have one schema, so that equal images are equal entities. */
    boolean isOneSchema() {
        return before.fingerprint().equals(after.fingerprint());
    }

    /** Whether entities of a type are compared: not those of a type that only one schema has and the other dropped. */
    boolean covers(int type) {
        boolean had = before.type(type) != null;
        boolean has = after.type(type) != null;
        return (had && has) || (has && type >= before.nextIdentity()) || (had && type >= after.nextIdentity());
    }

    /** Whether two images show the same entity; null is an entity that does not exist. */
    boolean isSame(int type, @Nullable Image was, @Nullable Image is) {
        if (was == null || is == null) {
            return was == null && is == null;
        }
        if (!Objects.equals(was.from(), is.from()) || !Objects.equals(was.to(), is.to())) {
            return false;
        }
        EntityType had = before.requireType(type);
        EntityType has = after.requireType(type);
        for (Property property : had.properties()) {
            if (!isSame(property, was.properties(), has, is.properties(), after)) {
                return false;
            }
        }
        for (Property property : has.properties()) {
            if (had.property(property.identity()) == null
                    && !isSame(property, is.properties(), had, was.properties(), before)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether two rows agree in a property of one of them.
     *
     * @param other the type in the other schema
     */
    private static boolean isSame(
            Property property, PropertyRow row, EntityType other, PropertyRow otherRow, Catalog otherSchema) {
        int identity = property.identity();
        if (other.property(identity) == null && identity < otherSchema.nextIdentity()) {
            return true;
        }
        Value there = other.property(identity) == null ? property.missing() : otherRow.get(identity);
        return Objects.equals(row.get(identity), there);
    }
}
