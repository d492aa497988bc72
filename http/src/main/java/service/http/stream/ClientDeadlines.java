package service.http.stream;

import java.util.concurrent.TimeUnit;
import service.http.limit.Limit;
import service.http.limit.Limits;

/**
 * How slow a client may be. The idle timeouts of the listener cover neither case.
 *
 * @param progressNanos maximum time without any byte, in either direction
 * @param bodyNanos maximum time for a request body; it grows by one second for every 16 KiB that arrived, so that one
 *     byte a second is too slow
 * @param waits of the threads that keep to these times
 */
public record ClientDeadlines(long progressNanos, long bodyNanos, ClientWaits waits) {
    /** A body that arrives at this rate or faster never times out. */
    private static final long BODY_BYTES_PER_SECOND_MIN = 16 << 10;

    public static ClientDeadlines of(Limits limits) {
        return new ClientDeadlines(
                TimeUnit.SECONDS.toNanos(limits.get(Limit.PROGRESS_TIMEOUT_SECONDS)),
                TimeUnit.SECONDS.toNanos(limits.get(Limit.BODY_TIMEOUT_SECONDS)),
                new ClientWaits());
    }

    /**
     * Returns the nanoseconds that remain for the next byte of a request body. The client is too slow when the result
     * is not positive.
     *
     * @param now {@link System#nanoTime}, as are the other times
     * @param received bytes of the body so far
     */
    long bodyRemaining(long now, long startNanos, long lastByteNanos, long received) {
        long total = bodyNanos + received / BODY_BYTES_PER_SECOND_MIN * TimeUnit.SECONDS.toNanos(1);
        return Math.min(lastByteNanos + progressNanos - now, startNanos + total - now);
    }
}
