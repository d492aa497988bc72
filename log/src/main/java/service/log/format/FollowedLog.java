package service.log.format;

import java.time.Duration;

/**
 * The log of one graph that another process writes elsewhere, and its copy in a directory that belongs to this process.
 * All else of a follower's storage uses the {@link EventLog} of the copy. One thread at a time, always a platform
 * thread, because the copy is written on it.
 */
public interface FollowedLog {
    /**
     * Opens the copy with every event that was durable when this was called.
     *
     * @throws service.core.error.ServiceException NOT_FOUND when there is no such graph
     * @throws service.core.event.EventFormatException when it is damaged
     */
    EventLog open();

    /**
     * Appends new events to the copy. Events that were appended before a failure stay in it.
     *
     * @param most about how long to work; at least one group of events is appended if there is any
     * @return the last offset that is known to be durable, at least the last one of the copy
     * @throws service.core.event.EventFormatException when what follows the copy is damaged, missing or of another
     *     graph
     */
    long takeNew(EventLog log, Duration most);

    /**
     * Whether the writing process has reclaimed history that the copy has, or events that it lacks. Sends a request.
     *
     * @throws service.core.port.ObjectStoreException when the other place cannot be read
     */
    boolean isOutdated();

    /**
     * The same log with its copy in a second directory, so that the copy can be made again while this one is used.
     * There are two directories: use it only when no third copy is open. Sends no request.
     */
    FollowedLog beside();

    /** Notes that the copy is not used after it is closed. {@link #close} deletes it then. */
    void retire();

    /** Closes the copy. */
    void close(EventLog log);
}
