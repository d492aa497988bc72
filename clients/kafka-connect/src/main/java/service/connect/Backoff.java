package service.connect;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Pauses between attempts: 0.1 s after the first failure, then twice as long each time, with jitter. One thread. */
final class Backoff {
    private static final long FIRST_MILLIS = 100;
    private static final int DOUBLINGS_MAX = 20;

    /** A worker expects a poll to return. */
    private static final long NAP_MILLIS = 1_000;

    private final long maxMillis;
    private final CountDownLatch stopped;
    private int failures;
    private long untilNanos;

    /** @param stopped ends a pause */
    Backoff(long maxMillis, CountDownLatch stopped) {
        this.maxMillis = maxMillis;
        this.stopped = stopped;
    }

    /** Begins a pause, of at least what the server asks for. @return its milliseconds */
    long failed(long retryAfterMillis) {
        long most = Math.min(maxMillis, FIRST_MILLIS << Math.min(failures, DOUBLINGS_MAX));
        failures++;
        long pause = Math.max(
                retryAfterMillis, most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1));
        untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause);
        return pause;
    }

    void succeeded() {
        failures = 0;
    }

    boolean isFirstFailure() {
        return failures == 1;
    }

    /** Whether the pause is over, after waiting for a part of it. */
    boolean await() {
        if (failures == 0) {
            return true;
        }
        long rest = TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime());
        if (rest <= 0) {
            return true;
        }
        try {
            return !stopped.await(Math.min(rest, NAP_MILLIS), TimeUnit.MILLISECONDS) && rest <= NAP_MILLIS;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
