package service.core.graph.branch;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.graph.request.CommitRecord;
import service.core.schema.EntityType;
import service.core.value.Ulid;

/**
 * The changes of an entity, newest first.
 *
 * @param at the commit from which the history is seen
 * @param nextBefore the commit before which the next page begins; null at the end
 * @param truncatedAt the newest commit whose changes cleanup has reclaimed: what it and earlier ones changed is not
 *     known. Null while there are more pages, and where nothing was reclaimed
 */
public record EntityPage(
        EntityHistory.Entity entity,
        Ulid at,
        List<Entry> changes,
        @Nullable String nextBefore,
        @Nullable Ulid truncatedAt) {
    /**
     * One change.
     *
     * @param type as the schema of that time has it, which names the properties of the images
     * @param before null for an insert
     * @param after null for a deletion
     */
    public record Entry(
            CommitRecord commit,
            EntityType type,
            @Nullable Image before,
            @Nullable Image after) {}
}
