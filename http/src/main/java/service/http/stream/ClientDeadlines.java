package service.http.stream;

import java.util.concurrent.TimeUnit;
import service.http.limit.Limit;
import service.http.limit.Limits;

/**
 * How slow a client may be: a time without any byte, and for a request body a total that grows with what arrived, so
 * that one byte a second is not progress enough. Idle timeouts of the listener see neither.
 */
public record ClientDeadlines(long progressNanos, long bodyNanos) {
    /** A body that arrives at this rate or faster is never given up. */
    private static final long BODY_BYTES_PER_SECOND_MIN = 16 << 10;

    public static ClientDeadlines of(Limits limits) {
        return new ClientDeadlines(
                TimeUnit.SECONDS.toNanos(limits.get(Limit.PROGRESS_TIMEOUT_SECONDS)),
                TimeUnit.SECONDS.toNanos(limits.get(Limit.BODY_TIMEOUT_SECONDS)));
    }

    /**
     * Nanoseconds that remain for the next byte of a request body; not positive: too slow.
     *
     * @param now of {@link System#nanoTime}, like the other two
     */
    long bodyRemaining(long now, long startNanos, long lastByteNanos, long received) {
        long total = bodyNanos + received / BODY_BYTES_PER_SECOND_MIN * TimeUnit.SECONDS.toNanos(1);
        return Math.min(lastByteNanos + progressNanos - now, startNanos + total - now);
    }
}
