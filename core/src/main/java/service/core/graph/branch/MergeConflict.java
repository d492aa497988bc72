package service.core.graph.branch;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.schema.EntityType;

/**
 * A reason why two branches cannot be merged.
 *
 * @param type type of the entity
 * @param entityId the entity; for a cardinality violation the node at the source of the edges
 * @param properties the names of what is in conflict, where properties are merged one by one: properties, and
 *     {@code from} and {@code to} for ends; of a schema conflict the properties that the target does not have; else
 *     empty
 * @param base the entity at the merge base, of several the newest; null when it did not exist
 * @param source the entity at the source's head; null when it does not exist
 * @param target the entity at the target's head; null when it does not exist
 */
public record MergeConflict(
        EntityType type,
        String entityId,
        Kind kind,
        String message,
        List<String> properties,
        @Nullable Image base,
        @Nullable Image source,
        @Nullable Image target) {
    /**
     * The conflict for a caller who may not read the target. A message can name another entity of the target, and the
     * properties say what the target has changed, so that both are left out, too.
     */
    MergeConflict withoutTarget() {
        return new MergeConflict(
                type,
                entityId,
                kind,
                type.name() + " `" + entityId + "` does not fit the state of the target (" + kind.wireName() + ")",
                List.of(),
                base,
                source,
                null);
    }

    /** The kind of the conflict ({@code docs/branches.md}). */
    public enum Kind {
        DIVERGENT_INSERT,
        DIVERGENT_UPDATE,
        DELETE_VS_UPDATE,
        /** The merge bases disagree on what the two sides have differently. */
        AMBIGUOUS_BASE,
        ORPHAN_EDGE,
        UNIQUE_VIOLATION,
        CARDINALITY_VIOLATION,
        VALUE_CONSTRAINT_VIOLATION,
        /** The source wrote what the schema of the target, which is a later one, does not have or does not allow. */
        SCHEMA_CONFLICT;

        /** Whether the two sides have the entity differently, so that a resolution can take one of them. */
        boolean isDivergent() {
            return switch (this) {
                case DIVERGENT_INSERT, DIVERGENT_UPDATE, DELETE_VS_UPDATE, AMBIGUOUS_BASE -> true;
                case ORPHAN_EDGE,
                        UNIQUE_VIOLATION,
                        CARDINALITY_VIOLATION,
                        VALUE_CONSTRAINT_VIOLATION,
                        SCHEMA_CONFLICT -> false;
            };
        }

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
