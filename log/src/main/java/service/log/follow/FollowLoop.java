package service.log.follow;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.port.CommitFollower;
import service.core.port.FollowLag;

/**
 * Looks for new events at an interval, on one thread, passes them to followers, and measures how far this process is
 * behind. A look that fails is repeated at the next interval.
 *
 * <p>Thread rule: any thread.
 */
public final class FollowLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FollowLoop.class);
    private static final double MICROS = 1e6;
    private static final double MILLIS = 1e3;

    /** A look that takes longer counts as one that has failed. */
    private static final long LOOK_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);

    private final String name;
    private final NewEvents source;
    private final LogFollowers followers;
    private final long everyNanos;
    private final LongSupplier clockMicros;
    private final Thread.Builder threads;
    private @Nullable Thread thread;
    private boolean closed;
    private volatile NewEvents.Seen seen;
    private volatile long lookedNanos = System.nanoTime();
    private volatile boolean failing;

    /** Makes a loop on a virtual thread. */
    public FollowLoop(String name, NewEvents source, long shown, Duration every, LongSupplier clockMicros) {
        this(name, source, shown, every, clockMicros, Thread.ofVirtual());
    }

    /**
     * Makes a loop that {@link #follow} or {@link #start} starts.
     *
     * @param name of the graph, for threads and the log
     * @param shown the last offset that sessions see already
     * @param clockMicros the present time in microseconds since 1970
     * @param threads makes the thread; a platform thread for a source that writes to LMDB
     */
    public FollowLoop(
            String name,
            NewEvents source,
            long shown,
            Duration every,
            LongSupplier clockMicros,
            Thread.Builder threads) {
        this.name = name;
        this.source = source;
        this.followers = new LogFollowers("follow-" + name);
        this.everyNanos = every.toNanos();
        this.clockMicros = clockMicros;
        this.threads = threads;
        this.seen = new NewEvents.Seen(shown, shown, 0);
    }

    /** Adds a follower that has taken all events up to an offset, and starts the loop. */
    public void follow(CommitFollower follower, long position) {
        followers.add(follower, position);
        start();
    }

    /** Starts the loop unless it runs. */
    public synchronized void start() {
        if (thread == null && !closed) {
            lookedNanos = System.nanoTime();
            thread = threads.name("watch-" + name).start(this::run);
        }
    }

    private void run() {
        while (!isClosed()) {
            look();
            LockSupport.parkNanos(everyNanos);
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void look() {
        try {
            NewEvents.Seen now = source.after(seen.shown());
            seen = now;
            lookedNanos = System.nanoTime();
            failing = false;
            followers.advance(now.shown());
        } catch (RuntimeException e) {
            if (isClosed()) {
                return;
            }
            if (failing) {
                LOG.debug("{}: the look for new commits failed again", name, e);
            } else {
                LOG.warn("{}: the look for new commits failed and is repeated: {}", name, e.toString());
                LOG.debug("{}: the failure", name, e);
            }
            failing = true;
        }
    }

    /** The lag at the last look; its seconds are those of now. */
    public FollowLag lag() {
        NewEvents.Seen last = seen;
        long commits = Math.max(0, last.end() - last.shown());
        double seconds = commits == 0 ? 0 : Math.max(0, clockMicros.getAsLong() - last.waitingSinceMicros()) / MICROS;
        long sinceLook = System.nanoTime() - lookedNanos;
        if (failing || sinceLook > everyNanos + LOOK_NANOS_MAX) {
            seconds = Math.max(seconds, sinceLook / (double) TimeUnit.SECONDS.toNanos(1));
        }
        return new FollowLag(commits, Math.round(seconds * MILLIS) / MILLIS);
    }

    /** Ends the loop; a look that runs is not interrupted. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        followers.close();
        if (running != null) {
            LockSupport.unpark(running);
        }
    }
}
