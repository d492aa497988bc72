package service.log.segment;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import service.log.format.EventLog;
import service.log.format.FollowedLog;

/**
 * Follows the segments that another process creates ({@link NewSegments}). It writes nothing to the bucket. One thread
 * at a time.
 */
public final class FollowedSegments implements FollowedLog {
    /** How often a look is a list, which shows that the graph was deleted or replaced. It costs more than a GET. */
    private static final long LIST_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final SegmentStore segments;
    private final SegmentedLog home;

    /** The log whose directory the next start uses. */
    private final SegmentedLog first;

    private final SegmentedLog second;

    /** Whether no copy of this process is open. */
    private final boolean starting;

    private final Runnable closed;

    private boolean retired;

    /** When a list has last shown that the graph is there. */
    private long listedNanos = System.nanoTime() - LIST_NANOS;

    /**
     * Names the segments; sends no request.
     *
     * @param home opens the copy; never asked for a sink
     * @param closed called when the copy in use is closed: gives its directory back
     */
    public FollowedSegments(SegmentStore segments, SegmentedLog home, Runnable closed) {
        this(segments, home, home, home.beside(), true, closed);
    }

    private FollowedSegments(
            SegmentStore segments,
            SegmentedLog home,
            SegmentedLog first,
            SegmentedLog second,
            boolean starting,
            Runnable closed) {
        this.segments = segments;
        this.closed = closed;
        this.home = home;
        this.first = first;
        this.second = second;
        this.starting = starting;
    }

    @Override
    public EventLog open() {
        if (starting) {
            // The copy of a process that has died may be in the second directory.
            first.settle(second);
        }
        return home.open();
    }

    @Override
    public long takeNew(EventLog log, Duration most) {
        long now = System.nanoTime();
        if (now - listedNanos < LIST_NANOS) {
            return home.fresh().take(log, most);
        }
        long end = home.fresh().takeByList(log, most);
        listedNanos = now;
        return end;
    }

    @Override
    public boolean isOutdated() {
        return home.isOutdated();
    }

    @Override
    public FollowedLog beside() {
        return new FollowedSegments(segments, home == first ? second : first, first, second, false, closed);
    }

    @Override
    public void retire() {
        retired = true;
        home.forget();
    }

    @Override
    public void close(EventLog log) {
        if (retired) {
            log.close();
            home.remove();
            return;
        }
        try {
            home.close(log, log.sink());
            if (home == second) {
                first.settle(second);
            }
        } finally {
            closed.run();
        }
    }
}
