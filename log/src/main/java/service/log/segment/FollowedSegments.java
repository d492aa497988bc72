package service.log.segment;

import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.EventFormatException;
import service.log.format.EventLog;
import service.log.format.FollowedLog;

/**
 * Follows the segments that another process creates. A poll is one list, and a request for each new segment, several of
 * them at a time. It writes nothing to the bucket. One thread at a time.
 */
public final class FollowedSegments implements FollowedLog {
    private static final int PAGE = 1_000;

    /** Less than the time for which packed segments are kept. */
    private static final long RECENT_MILLIS = 300_000;

    private final SegmentStore segments;
    private final SegmentedLog home;

    /** The log whose directory the next start uses. */
    private final SegmentedLog first;

    private final SegmentedLog second;

    /** Whether no copy of this process is open. */
    private final boolean starting;

    private final PackedProof proof = new PackedProof();

    /** The first offset of the newest segment that the copy has; −1 when it is not known. */
    private long newest = -1;

    private final Runnable closed;

    private boolean retired;

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

    /**
     * When it was last known that no packed object has the next event. A segment whose events are packed is deleted
     * minutes later, and its place is free then: a writer that was overtaken long ago can create it again, and that
     * segment must not be taken. So a segment is taken without a list of the packed objects only when it was missing a
     * short time ago.
     */
    private static final class PackedProof {
        private @Nullable Long atMillis;

        void noneAt(long millis) {
            atMillis = millis;
        }

        boolean isRecent() {
            Long at = atMillis;
            long passed = at == null ? -1 : System.currentTimeMillis() - at;
            return passed >= 0 && passed < RECENT_MILLIS;
        }
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
        long start = System.nanoTime();
        long startMillis = System.currentTimeMillis();
        long tail = log.tail().offset();
        List<Long> page = list(tail);
        List<Long> fresh = page.stream().filter(first -> first > tail).toList();
        boolean complete = true;
        try (SegmentsAhead ahead = new SegmentsAhead(segments, fresh)) {
            for (long first : fresh) {
                take(first, ahead, log);
                newest = first;
                if (System.nanoTime() - start > most.toNanos()) {
                    complete = first == fresh.getLast();
                    break;
                }
            }
        }
        if (complete && page.size() < PAGE) {
            proof.noneAt(startMillis);
        }
        return fresh.isEmpty() ? tail : Math.max(log.tail().offset(), fresh.getLast());
    }

    /**
     * The segments from the newest known one on. The newest segment of a graph is never deleted, so there is one unless
     * the objects of the graph were replaced.
     */
    private List<Long> list(long tail) {
        if (newest < 0) {
            newest = home.lastFirstUpTo(tail);
        }
        List<Long> page = segments.firstOffsets(newest < 0 ? tail : newest - 1, PAGE);
        if (page.isEmpty()) {
            throw EventFormatException.damaged(
                    tail,
                    segments.location() + " does not have it any more: the graph was deleted or replaced; start this"
                            + " server again");
        }
        return page;
    }

    private void take(long first, SegmentsAhead ahead, EventLog log) {
        @Nullable InputStream stored = ahead.next();
        try {
            if (!proof.isRecent()) {
                long now = System.currentTimeMillis();
                home.takePacked(log);
                proof.noneAt(now);
            }
            home.takeListed(first, () -> stored, log);
        } finally {
            SegmentsAhead.close(stored);
        }
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
