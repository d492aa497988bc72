package service.core.graph.branch;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.CommitRecord;
import service.core.schema.EdgeEnd;
import service.core.schema.Property;
import service.core.value.Ulid;
import service.core.value.Value;

/**
 * Which commits set the present values of an entity.
 *
 * @param at the commit whose state is explained
 * @param truncatedAt as of {@link EntityPage}; null where every value was found
 */
public record EntityBlame(
        EntityHistory.Entity entity,
        Ulid at,
        List<Line> lines,
        @Nullable Ulid truncatedAt) {
    /** What was set: a property that has a value, or an end of an edge. */
    public sealed interface Line {
        /** The commit that set it; null where cleanup has reclaimed it, or the caller may not read it. */
        @Nullable
        CommitRecord commit();

        /** A property. */
        record OfProperty(
                Property property, Value value, @Nullable CommitRecord commit) implements Line {}

        /**
         * A node at an end.
         *
         * @param name {@code from} or {@code to}
         * @param storedType as an image names the type of the node
         */
        record OfEnd(
                String name,
                EdgeEnd end,
                int storedType,
                String id,
                @Nullable CommitRecord commit) implements Line {}
    }
}
