package service.log.format;

import org.jspecify.annotations.Nullable;
import service.core.event.SchemaChange;
import service.log.group.GroupSink;

/**
 * Where the log of one graph is durable: a directory, or a bucket with a copy on this machine. All else of a graph's
 * storage uses the {@link EventLog} that it gives. One thread, except for the sink.
 */
public interface LogHome {
    /**
     * Creates the graph with its first event.
     *
     * @param schema in force from the start
     * @throws service.core.error.ServiceException CONFLICT when there is a graph already
     */
    EventLog create(SchemaChange schema, @Nullable String actor, long nowMicros);

    /**
     * Opens the log for writing.
     *
     * @throws service.core.error.ServiceException NOT_FOUND when there is no such graph
     * @throws service.core.event.EventFormatException when it is damaged
     */
    EventLog open();

    /**
     * Makes the groups of a log durable that this has created or opened.
     *
     * @param settled called on another thread when an unknown outcome has become known; must return at once
     */
    GroupSink sink(EventLog log, Runnable settled);

    /** Where images of a log are kept that this has created or opened. Call it after {@link #sink}. */
    default GraphImages images(EventLog log) {
        return GraphImages.NONE;
    }

    /**
     * Compares what is stored elsewhere with what is open, if the last time was not just before. May send a request.
     */
    default void compareStored() {}

    /** What became of that while it was open, so that it is not written any more; null while it is there. */
    default @Nullable String detached() {
        return null;
    }

    /**
     * Whether this process was away for so long that a cleanup of another one has deleted events which the open copy
     * lacks. It cannot take them in any more: the log must be closed and opened again. Any thread.
     */
    default boolean isLeftBehind() {
        return false;
    }

    /** Closes a log and its sink. */
    void close(EventLog log, GroupSink sink);
}
