package service.http.server;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;
import service.core.budget.Shares;
import service.http.limit.Holder;
import service.http.limit.Refusals;
import service.http.limit.Taken;

/**
 * The open connections of a listener. A connection belongs to the address of its client until a request on it is
 * admitted, and to the actor of its last admitted request then. Addresses and actors have shares of the connections
 * ({@link Shares}).
 *
 * <p>A connection without an admitted request is a <em>stranger</em>. When there is no place for a new connection, it
 * takes that of the stranger that has been open for longest: of any stranger when all places are taken, of one of the
 * same address when the address has its share. So clients that only connect exclude nobody, from however many
 * addresses.
 *
 * <p>Thread rule: any thread. Connections are closed outside the lock.
 */
final class Connections {
    /**
     * Connections beyond the bound that read why they are refused. The listener accepts no more than these, so that
     * file descriptors are left for files.
     */
    static final int REFUSED_MAX = 64;

    private final int max;
    private final Shares shares;
    private final Refusals refusals;
    private final Function<Taken, byte[]> answer;
    private final Set<Seat> strangers = new LinkedHashSet<>();

    /**
     * @param max connections at one time
     * @param sharePercent what one holder alone may have of them
     * @param refusals counts the refused ones
     * @param answer the complete answer to a refused one
     */
    Connections(int max, int sharePercent, Refusals refusals, Function<Taken, byte[]> answer) {
        this.max = max;
        this.shares = new Shares(max, sharePercent);
        this.refusals = refusals;
        this.answer = answer;
    }

    /** The place of one connection. */
    final class Seat {
        private final StreamConnection connection;
        private final Holder address;

        /** Null when the connection has no place, or has given it back. Written under the lock. */
        private volatile @Nullable Holder holder;

        private volatile boolean known;

        private final Taken taken;

        private Seat(StreamConnection connection, Holder address, Taken taken) {
            this.connection = connection;
            this.address = address;
            this.taken = taken;
            this.holder = taken.isYes() ? address : null;
        }

        /** The complete answer to the connection when it has no place; null when it has one. */
        byte @Nullable [] refusal() {
            return taken.isYes() ? null : answer.apply(taken);
        }

        /** The address of the client. */
        Holder address() {
            return address;
        }

        /** Whether a request on the connection was admitted. */
        boolean isKnown() {
            return known;
        }

        /**
         * Moves the place to who has sent a request; a holder without a name leaves it with the address.
         *
         * @return false when the holder has its share of the connections; the place stays where it is then, and the
         *     caller closes the connection
         */
        boolean hold(Holder sender) {
            Holder next = sender.isActor() ? sender : address;
            if (known && next.equals(holder)) {
                return true; // As a rule, all requests of a connection have one sender.
            }
            synchronized (Connections.this) {
                Holder current = holder;
                if (current == null) {
                    return true; // The connection has ended.
                }
                if (!current.equals(next)) {
                    shares.give(current);
                    if (!shares.mayTake(next)) {
                        shares.force(current);
                        count(Taken.SHARE_IS_USED);
                        return false;
                    }
                    shares.force(next);
                    holder = next;
                }
                strangers.remove(this);
            }
            known = true;
            return true;
        }

        /** Gives the place back; later calls have no effect. */
        void close() {
            synchronized (Connections.this) {
                leave();
            }
        }

        private void leave() {
            Holder left = holder;
            if (left != null) {
                holder = null;
                shares.give(left);
                strangers.remove(this);
            }
        }
    }

    /** Takes a place for a new connection, unless {@link Seat#refusal} says otherwise. */
    Seat open(StreamConnection connection, Holder address) {
        Seat evicted = null;
        Taken taken;
        Seat seat;
        synchronized (this) {
            taken = shares.mayTake(address) ? Taken.YES : shares.isFull() ? Taken.NONE_IS_FREE : Taken.SHARE_IS_USED;
            if (!taken.isYes()) {
                evicted = stranger(taken == Taken.NONE_IS_FREE ? null : address);
            }
            if (evicted != null) {
                evicted.leave();
            }
            seat = new Seat(connection, address, evicted == null ? taken : Taken.YES);
            if (seat.holder != null) {
                shares.force(address);
                strangers.add(seat);
            }
        }
        count(taken);
        if (evicted != null) {
            IoUtils.safeClose(evicted.connection);
        }
        return seat;
    }

    private void count(Taken taken) {
        switch (taken) {
            case YES -> {}
            case NONE_IS_FREE -> refusals.count(Refusals.Cause.CONNECTIONS);
            case SHARE_IS_USED, GRAPH_SHARE_IS_USED -> refusals.count(Refusals.Cause.ACTOR_CONNECTIONS);
        }
    }

    /** The oldest stranger, of an address when one is given. */
    private @Nullable Seat stranger(@Nullable Holder address) {
        for (Seat seat : strangers) {
            if (address == null || address.equals(seat.address)) {
                return seat;
            }
        }
        return null;
    }

    /** Connections at which the listener stops to accept. */
    int acceptedMax() {
        return max + REFUSED_MAX;
    }

    /** Open connections. */
    synchronized int size() {
        return (int) shares.taken();
    }
}
