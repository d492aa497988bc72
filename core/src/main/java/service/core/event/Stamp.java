package service.core.event;

import org.jspecify.annotations.Nullable;

/**
 * When an event was appended and by whom.
 *
 * @param offset position in the graph's log, from 0, without gaps
 * @param timeMicros microseconds since the epoch; never before the previous event's
 * @param actor who caused the event; null where callers are not authenticated
 */
public record Stamp(long offset, long timeMicros, @Nullable String actor) {}
