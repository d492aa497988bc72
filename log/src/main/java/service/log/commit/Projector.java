package service.log.commit;

import service.core.event.Event;
import service.core.port.WriteSession;

/**
 * What the writer asks of the projections: to show the state as of the last event, inside one write transaction, and to
 * take in the next event.
 *
 * <p>Order of a group: {@link #begin}, then for each command <em>decide against the session, append,
 * {@link #apply}</em>, then the log commits (fsync), then {@link #commit}. Nobody sees an event before it is durable,
 * because readers see only committed projections.
 *
 * <p>Thread rule: the graph's writer thread only.
 */
public interface Projector {
    /**
     * Opens the group's transaction.
     *
     * @param ids gives entity ids and the time: the session hands them on
     */
    WriteSession begin(WriterClock ids);

    /**
     * Takes the event into every projection; the session opened by {@link #begin} sees it from then on.
     *
     * @param event offset exactly one above the last applied one
     */
    void apply(Event event);

    /**
     * Makes the group visible to new sessions. Not synced: a crash loses it, and the log brings it back. The
     * transaction is over even when this throws.
     */
    void commit();

    /** Forgets the group. */
    void abort();

    /** The last offset whose projection is committed; −1 when empty. */
    long appliedOffset();

    /**
     * Makes room after any of the above has thrown a MAP_FULL; called after {@link #abort}, with no transaction open.
     * The group then runs again from the start.
     */
    void grow();

    /**
     * Applies and commits what the log has beyond {@link #appliedOffset}: after a group's events became durable but its
     * projection did not. No transaction is open.
     *
     * @param lastOffset the log's durable end
     */
    void catchUp(long lastOffset);
}
