package service.projection.storage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import service.core.port.FeedHold;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.StateHold;
import service.projection.retain.ReadNeeds;

/**
 * What the reads in progress of one graph still need: cleanup asks before it makes its marks. States are pinned, so
 * that everything else goes; for feeds all events after a place stay. A hold that is older than the longest time does
 * not count. Any thread.
 */
final class ReadHolds {
    private final long nanosMax;
    private final LongSupplier nanoTime;
    private final LongSupplier followed;
    private final Set<State> states = ConcurrentHashMap.newKeySet();
    private final Set<Feed> feeds = ConcurrentHashMap.newKeySet();

    /** @param followed gives the last offset that every follower of the log has taken */
    ReadHolds(Duration longest, LongSupplier nanoTime, LongSupplier followed) {
        this.followed = followed;
        this.nanosMax = longest.toNanos();
        this.nanoTime = nanoTime;
    }

    /** What reads in progress and the followers of the log need. */
    ReadNeeds needs() {
        long least = followed.getAsLong();
        Map<Integer, Long> branches = new HashMap<>();
        for (Feed feed : feeds) {
            if (feed.atHead) {
                branches.merge(feed.incarnation, feed.offset, Math::min);
            } else if (!isOver(feed.sinceNanos)) {
                least = Math.min(least, feed.offset);
            }
        }
        return new ReadNeeds(least, branches, points());
    }

    /** The states of the reads in progress. */
    private List<ReadPoint> points() {
        List<ReadPoint> points = new ArrayList<>();
        for (State state : states) {
            if (!isOver(state.sinceNanos)) {
                points.add(state.point);
            }
        }
        return points;
    }

    /**
     * Runs the marking of a cleanup unless a read that began after its plan needs what it takes; no read begins
     * meanwhile.
     *
     * @param loses whether the plan takes a state
     * @return whether it ran
     */
    synchronized boolean mark(Predicate<ReadPoint> loses, Runnable marking) {
        if (points().stream().anyMatch(loses)) {
            return false;
        }
        marking.run();
        return true;
    }

    /** @param sessions opens a session */
    synchronized StateHold hold(ReadPoint point, Supplier<GraphSession> sessions) {
        State state = new State(point, sessions, nanoTime.getAsLong());
        states.add(state);
        return state;
    }

    FeedHold holdFeed(int incarnation, long offset) {
        Feed feed = new Feed(incarnation, offset, nanoTime.getAsLong());
        feeds.add(feed);
        return feed;
    }

    private boolean isOver(long sinceNanos) {
        return nanoTime.getAsLong() - sinceNanos >= nanosMax;
    }

    private final class State implements StateHold {
        private final ReadPoint point;
        private final Supplier<GraphSession> sessions;
        private final long sinceNanos;

        State(ReadPoint point, Supplier<GraphSession> sessions, long sinceNanos) {
            this.point = point;
            this.sessions = sessions;
            this.sinceNanos = sinceNanos;
        }

        @Override
        public void read(Consumer<GraphView> work) {
            try (GraphSession session = sessions.get();
                    GraphView view = session.view(point)) {
                work.accept(view);
            }
        }

        @Override
        public void close() {
            states.remove(this);
        }
    }

    private final class Feed implements FeedHold {
        private final int incarnation;
        private volatile long offset;
        private volatile boolean atHead;

        /** When it left the head. */
        private volatile long sinceNanos;

        Feed(int incarnation, long offset, long sinceNanos) {
            this.incarnation = incarnation;
            this.offset = offset;
            this.sinceNanos = sinceNanos;
        }

        @Override
        public void moveTo(long reached, boolean isAtHead) {
            offset = reached;
            if (atHead && !isAtHead) {
                sinceNanos = nanoTime.getAsLong();
            }
            atHead = isAtHead;
        }

        @Override
        public void close() {
            feeds.remove(this);
        }
    }
}
