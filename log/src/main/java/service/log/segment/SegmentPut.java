package service.log.segment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStoreException;
import service.log.object.Backoff;

/**
 * Creates one segment. A request whose outcome is unknown is repeated with the same bytes under the same key, with
 * growing pauses, until the object is there: then it has these bytes, or those of another writer. One thread at a time.
 */
final class SegmentPut {
    /** What is known of a segment. */
    enum Result {
        /** It is stored. */
        STORED,
        /** Another process has created its key with other bytes, and this one was never stored. */
        TAKEN,
        /**
         * The log has gone on while this process did not look: it has this segment, or others at its place. Packing or
         * cleanup may have deleted both. The next events of the log tell.
         */
        PASSED
    }

    private final SegmentStore segments;
    private final Segment segment;
    private final LastLook end;
    private final LastLook.Moment begun;
    private boolean repeated;
    private final Backoff backoff = new Backoff(ThreadLocalRandom.current());

    /** A put of the first segment of a graph. */
    SegmentPut(SegmentStore segments, Segment segment) {
        this(segments, segment, new LastLook(segments));
    }

    /** @param end when it was known that the log ends before the segment */
    SegmentPut(SegmentStore segments, Segment segment, LastLook end) {
        this.segments = segments;
        this.segment = segment;
        this.end = end;
        this.begun = segments.now();
    }

    /** When this put was made. */
    LastLook.Moment begun() {
        return begun;
    }

    Segment segment() {
        return segment;
    }

    /**
     * Repeats until the outcome is known.
     *
     * @param patience how long to repeat
     * @throws UncheckedIOException the last failure, when the outcome is not known by then or the thread was
     *     interrupted
     */
    Result run(Duration patience) {
        long start = System.nanoTime();
        while (true) {
            try {
                return once();
            } catch (UncheckedIOException e) {
                // The segment may be stored, and only the answer lost.
                repeated = true;
                if (!backoff.pause(e, patience.minusNanos(System.nanoTime() - start))) {
                    throw e;
                }
            }
        }
    }

    /**
     * The object at the key decides only as long as no object can have been deleted there since the last look: after a
     * pause another process may have gone on, and its segment at this place may be packed and deleted, so that the key
     * was free. The newest segment is never deleted, so a list of the later ones shows that. It is asked after the PUT
     * and not before, because the process may pause in between.
     */
    private Result once() {
        boolean ours = segments.create(segment) || (repeated && isStored());
        if (!end.isRecent()
                && !segments.firstOffsets(segment.header().first(), 1).isEmpty()) {
            return Result.PASSED;
        }
        return ours ? Result.STORED : Result.TAKEN;
    }

    private boolean isStored() {
        String key = segments.key(segment.header().first());
        try (@Nullable InputStream stored = segments.read(key)) {
            if (stored == null) {
                throw new ObjectStoreException(
                        ObjectStoreException.Kind.UNREACHABLE, segments.uri(key) + " was there and is missing");
            }
            return segment.isSame(stored);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
