package service.core.event;

import org.jspecify.annotations.Nullable;

/**
 * When an event was appended, by whom and why.
 *
 * @param offset position in the graph's log, from 0, without gaps
 * @param timeMicros microseconds since the epoch; never before the previous event's
 * @param actor who caused the event; null where callers are not authenticated
 * @param note what the caller says about the write; null without
 */
public record Stamp(
        long offset,
        long timeMicros,
        @Nullable String actor,
        @Nullable Note note) {
    /** The stamp of an event without a note. */
    public Stamp(long offset, long timeMicros, @Nullable String actor) {
        this(offset, timeMicros, actor, null);
    }
}
