package service.log.commit;

import service.core.event.Event;
import service.core.port.WriteSession;

/**
 * The interface of the writer to the projections: it shows the state after the last event, inside one write
 * transaction, and applies the next event.
 *
 * <p>Order of a group: {@link #begin}, then for each command <em>decide against the session, append,
 * {@link #apply}</em>, then the log commits (fsync), then {@link #commit}. Readers see only committed projections, so
 * no reader sees an event before it is durable.
 *
 * <p>Thread rule: the graph's writer thread only.
 */
public interface Projector {
    /**
     * Opens the group's transaction.
     *
     * @param ids source of entity ids and times for the session
     */
    WriteSession begin(WriterClock ids);

    /**
     * Applies the event to every projection; afterwards the session opened by {@link #begin} sees it.
     *
     * @param event offset exactly one above the last applied one
     */
    void apply(Event event);

    /**
     * Makes the group visible to new sessions. Not synced: after a crash {@link #catchUp} applies it again. The
     * transaction has ended even when this throws.
     */
    void commit();

    /** Drops the group: no session sees its events. */
    void abort();

    /** The last offset whose projection is committed; −1 when empty. */
    long appliedOffset();

    /**
     * Enlarges the map after a method above threw MAP_FULL. Called after {@link #abort}, with no transaction open; the
     * group then runs again from the start.
     */
    void grow();

    /**
     * Applies and commits what the log has beyond {@link #appliedOffset}: after a group's events became durable but its
     * projection did not. No transaction is open.
     *
     * @param lastOffset the log's durable end
     */
    void catchUp(long lastOffset);

    /**
     * Applies and commits what the log has beyond {@link #appliedOffset}, when other processes have appended it. As
     * {@link #catchUp}, but may be made for a few events at a time.
     */
    default void follow(long lastOffset) {
        catchUp(lastOffset);
    }
}
