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
    /** Less than the time for which packed segments are kept. */
    private static final long RECENT_MILLIS = 300_000;

    /** What is known of a segment. */
    enum Result {
        /** It is stored. */
        STORED,
        /** Another writer has created its key with other bytes. */
        TAKEN
    }

    private final SegmentStore segments;
    private final Segment segment;
    private final @Nullable Long provenMillis;
    private final long begunMillis = System.currentTimeMillis();
    private final Backoff backoff = new Backoff(ThreadLocalRandom.current());

    /** A put of the first segment of a graph, or of the first one of this process. */
    SegmentPut(SegmentStore segments, Segment segment) {
        this(segments, segment, null);
    }

    /** @param provenMillis a time at which this process had the end of the log; null when that is not known */
    SegmentPut(SegmentStore segments, Segment segment, @Nullable Long provenMillis) {
        this.segments = segments;
        this.segment = segment;
        this.provenMillis = provenMillis;
    }

    /** When this put was made, in milliseconds since 1970. */
    long begunMillis() {
        return begunMillis;
    }

    /**
     * Whether the log has gone on without this segment. After a pause of minutes another writer may have gone on, and
     * packing may have deleted the segment that would have refused this one; the newest segment is never deleted. No
     * request is sent while that cannot have happened.
     */
    private boolean isOvertaken() {
        Long proven = provenMillis;
        long now = System.currentTimeMillis();
        boolean recent = proven != null && now >= proven && now - proven < RECENT_MILLIS;
        return !recent && !segments.firstOffsets(segment.header().first(), 1).isEmpty();
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
                boolean ours = segments.create(segment) || isStored();
                return ours && !isOvertaken() ? Result.STORED : Result.TAKEN;
            } catch (UncheckedIOException e) {
                if (!backoff.pause(e, patience.minusNanos(System.nanoTime() - start))) {
                    throw e;
                }
            }
        }
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
