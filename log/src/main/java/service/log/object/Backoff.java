package service.log.object;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStoreException;

/**
 * How long to wait before a request is repeated: a random part of a limit that doubles, so that clients which failed at
 * the same time do not repeat at the same time. One thread.
 */
public final class Backoff {
    /** How often a request is sent at most whose caller does not wait for the store. */
    public static final int ATTEMPTS = 6;

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final long FIRST_MILLIS = 50;
    private static final long MAX_MILLIS = 5_000;

    private final RandomGenerator random;
    private long limitMillis;

    /** Starts at the least limit. */
    public Backoff(RandomGenerator random) {
        this.random = random;
        this.limitMillis = FIRST_MILLIS;
    }

    /**
     * Sleeps before a request that failed is repeated.
     *
     * @param left the longest sleep that is allowed
     * @return false when the sleep would be longer, at once; or when the thread was interrupted, whose flag is set then
     */
    public boolean pause(UncheckedIOException failure, Duration left) {
        long wait = nextMillis(failure instanceof ObjectStoreException slow ? slow.retryAfter() : null);
        if (Duration.ofMillis(wait).compareTo(left) > 0) {
            return false;
        }
        try {
            Thread.sleep(wait);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Sleeps before the next of {@link #ATTEMPTS} attempts.
     *
     * @param attempt the number of the one that failed, from 1
     * @throws ObjectStoreException the failure, when it cannot pass, when there is no further attempt, or when the
     *     thread was interrupted
     */
    public void pauseOrThrow(ObjectStoreException failure, int attempt) {
        if (!failure.mayPass() || attempt == ATTEMPTS || !pause(failure, LONGEST_PAUSE)) {
            throw failure;
        }
    }

    /** @param retryAfter what the store asks for, the least that is waited; null when it does not */
    private long nextMillis(@Nullable Duration retryAfter) {
        long least = retryAfter == null ? 0 : Math.min(retryAfter.toMillis(), 6 * MAX_MILLIS);
        long wait = least + random.nextLong(limitMillis + 1);
        limitMillis = Math.min(2 * limitMillis, MAX_MILLIS);
        return wait;
    }
}
