package service.core.graph.schema;

import org.jspecify.annotations.Nullable;
import service.core.event.Note;
import service.core.schema.migrate.DropApproval;

/**
 * A change of schema.
 *
 * @param source the whole desired schema
 * @param approval the approved drops of types that still have entities
 * @param acceptedDigest the digest that the schema in force must have, as {@code Catalog.digest()} returns it; null for
 *     any
 * @param note what the caller says about it; null without
 */
public record SchemaRequest(
        String source,
        DropApproval approval,
        @Nullable String acceptedDigest,
        @Nullable Note note) {
    /** A change without a note. */
    public SchemaRequest(String source, DropApproval approval, @Nullable String acceptedDigest) {
        this(source, approval, acceptedDigest, null);
    }
}
