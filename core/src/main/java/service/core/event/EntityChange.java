package service.core.event;

import org.jspecify.annotations.Nullable;
import service.core.value.EntityKind;

/**
 * The change of one entity by one commit: an insert has only {@code after}, a delete only {@code before}, an update has
 * both, and they differ.
 *
 * @param typeIdentity stable identity of its type
 */
public record EntityChange(
        EntityKind kind,
        int typeIdentity,
        String id,
        @Nullable Image before,
        @Nullable Image after) {
    public EntityChange {
        if ((before == null && after == null) || (before != null && before.equals(after))) {
            throw new IllegalArgumentException("not a change: " + kind + " " + id);
        }
    }
}
