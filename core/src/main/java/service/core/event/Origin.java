package service.core.event;

import org.jspecify.annotations.Nullable;

/**
 * Who asked for an event, and why.
 *
 * @param actor null where callers are not authenticated
 * @param note null for a write without one
 */
public record Origin(@Nullable String actor, @Nullable Note note) {
    /** Neither an actor nor a note. */
    public static final Origin NONE = new Origin(null, null);

    /** An actor without a note. */
    public static Origin of(@Nullable String actor) {
        return new Origin(actor, null);
    }
}
