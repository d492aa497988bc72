package service.log.follow;

/**
 * Where a process that only reads gets the events that another process has written: the shared tables of a directory,
 * or the segments of a bucket. {@link FollowLoop} calls it, on one thread.
 */
@FunctionalInterface
public interface NewEvents {
    /**
     * Shows the events after an offset to sessions that are opened from now on, as far as they are available. Blocks.
     * Whatever it throws, it is called again after the interval.
     *
     * @param shown the last offset that was shown
     */
    Seen after(long shown);

    /**
     * What one poll has found.
     *
     * @param shown the last offset that new sessions see
     * @param end the last offset that the writing process has made durable, as far as this process has seen
     * @param waitingSinceMicros time of the first event after {@code shown}, in microseconds since 1970; any value when
     *     there is none
     */
    record Seen(long shown, long end, long waitingSinceMicros) {}
}
