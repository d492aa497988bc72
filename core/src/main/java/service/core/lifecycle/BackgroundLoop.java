package service.core.lifecycle;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a round on a thread of its own, until the round says that it is done or {@link #close} ends it.
 *
 * <p><b>Rule for errors</b>, the same for everything that runs in the background: a round that throws, whatever it
 * throws, is reported and repeated after a pause. The pause begins with {@link #PAUSE_MIN} and doubles with each
 * further failure up to {@link #PAUSE_MAX}; a round that succeeds resets it. So no failure ends a loop, and none makes
 * it busy.
 *
 * <p>Thread rule: any thread; the round and the report run on the thread of the loop.
 */
public final class BackgroundLoop implements AutoCloseable {
    /** What a round returns when only {@link #wake} begins the next one. */
    public static final Duration UNTIL_WOKEN = Duration.ofDays(36_500);

    static final Duration PAUSE_MIN = Duration.ofMillis(100);
    static final Duration PAUSE_MAX = Duration.ofSeconds(1);

    /** One round. */
    @FunctionalInterface
    public interface Round {
        /**
         * Does the work that is due.
         *
         * @return the time until the next round; null when the loop is done
         * @throws InterruptedException after {@link #interrupt}
         */
        @Nullable
        Duration run() throws InterruptedException;
    }

    /** Takes the failures. */
    @FunctionalInterface
    public interface Report {
        /**
         * Takes a failure.
         *
         * @param inARow how many rounds have failed one after the other, this one included
         */
        void failed(Throwable failure, int inARow);
    }

    private final Round round;
    private final Report report;
    private final Thread thread;
    private boolean woken;
    private boolean closed;

    private BackgroundLoop(Thread.Builder threads, Round round, Report report) {
        this.round = round;
        this.report = report;
        this.thread = threads.unstarted(this::repeat);
    }

    /**
     * Starts a loop.
     *
     * @param threads makes the thread: a platform thread where rounds compute, a virtual one where they wait
     */
    public static BackgroundLoop start(Thread.Builder threads, Round round, Report report) {
        BackgroundLoop loop = new BackgroundLoop(threads, round, report);
        loop.thread.start();
        return loop;
    }

    /** Begins the next round now, or right after the one that runs. */
    public synchronized void wake() {
        woken = true;
        notifyAll();
    }

    /** Whether {@link #close} was called. */
    public synchronized boolean isClosed() {
        return closed;
    }

    private void repeat() {
        int failures = 0;
        Duration pause = Duration.ZERO;
        while (awaitNext(pause)) {
            try {
                Duration next = round.run();
                if (next == null) {
                    return;
                }
                failures = 0;
                pause = next;
            } catch (Throwable e) {
                if (isClosed()) {
                    return;
                }
                failures++;
                pause = pauseAfter(failures);
                tell(e, failures);
            }
        }
    }

    private static Duration pauseAfter(int failures) {
        Duration doubled = PAUSE_MIN.multipliedBy(1L << Math.min(failures - 1, 20));
        return doubled.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : doubled;
    }

    private void tell(Throwable failure, int inARow) {
        try {
            report.failed(failure, inARow);
        } catch (Throwable unreported) {
            // The log of a process without memory may fail; the loop must not.
        }
    }

    /** Waits for a time or until it is woken; false when the loop was closed. */
    private synchronized boolean awaitNext(Duration pause) {
        long end = System.nanoTime() + saturated(pause);
        long left = saturated(pause);
        while (!closed && !woken && left > 0) {
            try {
                wait(left / 1_000_000, (int) (left % 1_000_000));
            } catch (InterruptedException e) {
                // Only an interrupt of a round counts; the round decides what it means.
            }
            left = end - System.nanoTime();
        }
        woken = false;
        return !closed;
    }

    private static long saturated(Duration duration) {
        return duration.compareTo(Duration.ofDays(365)) > 0 ? TimeUnit.DAYS.toNanos(365) : duration.toNanos();
    }

    /** Interrupts a round that waits for something else. */
    public void interrupt() {
        thread.interrupt();
    }

    /** Ends the loop: no further round begins. Returns at once; a round that runs is not interrupted. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    /**
     * Waits for the round that runs, after {@link #close}.
     *
     * @return false when it still runs after the time
     */
    public boolean await(Duration most) {
        long end = System.nanoTime() + saturated(most);
        return Uninterrupted.get(() -> thread.join(Duration.ofNanos(Math.max(0, end - System.nanoTime()))));
    }
}
