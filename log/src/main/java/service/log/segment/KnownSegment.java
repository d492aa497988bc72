package service.log.segment;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.value.Ulid;

/**
 * Whether a bucket still has the segment by which this process knows its graph. A prefix that was emptied, or restored
 * to an earlier state, takes the next segment of a writer without an error, and the graph could never be opened again.
 * A writer knows its graph by the newest segment of its copy, which is neither packed nor deleted before there is a
 * later one.
 *
 * <p>A check is one GET of the first bytes. Any thread; {@link #stored} and {@link #requireThere} on that which writes.
 */
final class KnownSegment {
    private static final Logger LOG = LoggerFactory.getLogger(KnownSegment.class);

    /** A loop checks when the last check is older than this; together with its own interval less than five seconds. */
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** A write checks itself when no check has succeeded for so long. */
    private static final long WRITE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A segment, and what is compared of it; no hash before the first check. */
    private record Known(long first, Ulid graph, byte @Nullable [] hash) {}

    private final SegmentStore segments;
    private final LongSupplier newest;
    private volatile Known known;
    private volatile long checkedNanos = System.nanoTime();
    private volatile @Nullable ServiceException refusal;

    /** @param newest finds the first offset of the newest segment, by requests; negative when there is none */
    KnownSegment(SegmentStore segments, Ulid graph, LongSupplier newest) {
        this.segments = segments;
        this.newest = newest;
        this.known = new Known(-1, graph, null);
    }

    /** Notes a segment that the writer has stored. */
    synchronized void stored(SegmentHeader header) {
        known = new Known(header.first(), header.graph(), header.hash());
        checkedNanos = System.nanoTime();
    }

    /** Notes a segment that another process has stored and that the copy has. */
    synchronized void movedTo(long first) {
        known = new Known(first, known.graph(), null);
    }

    /** Compares the segment unless this was done just before; a bucket that does not answer changes nothing. */
    void check() {
        if (System.nanoTime() - checkedNanos >= CHECK_NANOS) {
            compare();
        }
    }

    /** @throws ServiceException GRAPH_QUARANTINED when the bucket does not have the segment */
    void requireThere() {
        if (System.nanoTime() - checkedNanos >= WRITE_NANOS) {
            compare();
        }
        ServiceException found = refusal;
        if (found != null) {
            throw found;
        }
    }

    /** What became of the segment; null while it is there. */
    @Nullable
    String finding() {
        ServiceException found = refusal;
        return found == null ? null : found.getMessage();
    }

    private void compare() {
        Known expected = known;
        try {
            long first = expected.first() < 0 ? Math.max(0, newest.getAsLong()) : expected.first();
            ServiceException found = compare(expected, first);
            // A segment that is not the newest any more may have been packed meanwhile.
            if (found == null || known.first() == expected.first()) {
                refusal = found;
            }
            checkedNanos = System.nanoTime();
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("{}: cannot be compared now", segments.location(), e);
        }
    }

    private @Nullable ServiceException compare(Known expected, long first) throws IOException {
        String key = segments.key(first);
        try (InputStream stored = segments.read(key)) {
            if (stored == null) {
                // Other processes have gone on and packed it, unless there is no later one either.
                return segments.firstOffsets(first, 1).isEmpty() ? refused("deleted", key) : null;
            }
            SegmentHeader header = SegmentHeader.read(stored);
            byte[] hash = expected.hash();
            if (!header.graph().equals(expected.graph()) || (hash != null && !Arrays.equals(header.hash(), hash))) {
                return refused("replaced", key);
            }
            if (hash == null) {
                remember(expected, header);
            }
            return null;
        } catch (EOFException | Segment.Damage other) {
            return refused("replaced", key);
        }
    }

    /** Unless the writer has stored another one meanwhile. */
    private synchronized void remember(Known expected, SegmentHeader header) {
        if (known.equals(expected)) {
            known = new Known(header.first(), header.graph(), header.hash());
        }
    }

    private ServiceException refused(String what, String key) {
        ServiceException before = refusal;
        String message = segments.uri(key) + " was " + what
                + " while the graph was open: the graph was deleted, restored or taken over, and this server does not"
                + " write it any more; restart it";
        return before != null && message.equals(before.getMessage())
                ? before
                : new ServiceException(ErrorCode.GRAPH_QUARANTINED, message);
    }
}
