package service.core.graph.branch;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.schema.EntityType;

/**
 * A reason why two branches cannot be merged.
 *
 * @param type type of the entity
 * @param entityId the entity; for a cardinality violation the node at the source of the edges
 * @param base the entity at the merge base; null when it did not exist
 * @param source the entity at the source's head; null when it does not exist
 * @param target the entity at the target's head; null when it does not exist
 */
public record MergeConflict(
        EntityType type,
        String entityId,
        Kind kind,
        String message,
        @Nullable Image base,
        @Nullable Image source,
        @Nullable Image target) {
    /**
     * The conflict for a caller who may not read the target. A message can name another entity of the target, so that
     * it is left out, too.
     */
    MergeConflict withoutTarget() {
        return new MergeConflict(
                type,
                entityId,
                kind,
                type.name() + " `" + entityId + "` does not fit the state of the target (" + kind.wireName() + ")",
                base,
                source,
                null);
    }

    /** The kind of the conflict ({@code docs/branches.md}). */
    public enum Kind {
        DIVERGENT_INSERT,
        DIVERGENT_UPDATE,
        DELETE_VS_UPDATE,
        ORPHAN_EDGE,
        UNIQUE_VIOLATION,
        CARDINALITY_VIOLATION,
        VALUE_CONSTRAINT_VIOLATION;

        /** Whether both sides have changed the entity differently, so that a resolution can take one of them. */
        boolean isDivergent() {
            return this == DIVERGENT_INSERT || this == DIVERGENT_UPDATE || this == DELETE_VS_UPDATE;
        }

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
