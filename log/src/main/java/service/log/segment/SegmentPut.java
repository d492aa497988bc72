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
        /** Another writer has created its key with other bytes. */
        TAKEN
    }

    private final SegmentStore segments;
    private final Segment segment;
    private final Backoff backoff = new Backoff(ThreadLocalRandom.current());

    SegmentPut(SegmentStore segments, Segment segment) {
        this.segments = segments;
        this.segment = segment;
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
                return segments.create(segment) || isStored() ? Result.STORED : Result.TAKEN;
            } catch (UncheckedIOException e) {
                long wait = backoff.nextMillis(e instanceof ObjectStoreException slow ? slow.retryAfter() : null);
                Duration passed = Duration.ofNanos(System.nanoTime() - start);
                if (passed.plusMillis(wait).compareTo(patience) > 0 || isInterrupted(wait)) {
                    throw e;
                }
            }
        }
    }

    private static boolean isInterrupted(long wait) {
        try {
            Thread.sleep(wait);
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
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
