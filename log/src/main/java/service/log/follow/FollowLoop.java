package service.log.follow;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.lifecycle.BackgroundLoop;
import service.core.port.CommitFollower;
import service.core.port.FollowLag;

/**
 * Polls for new events at an interval, on one thread, passes them to followers, and measures how far this process is
 * behind. A poll that fails is repeated.
 *
 * <p>Thread rule: any thread.
 */
public final class FollowLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FollowLoop.class);
    private static final double MICROS = 1e6;
    private static final double MILLIS = 1e3;

    /** A poll that takes longer counts as one that has failed. */
    private static final long POLL_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);

    private final String name;
    private final NewEvents source;
    private final LogFollowers followers;
    private final Duration every;
    private final TailLooks looks = new TailLooks();
    private final LongSupplier clockMicros;
    private final Thread.Builder threads;
    private @Nullable BackgroundLoop loop;
    private boolean closed;
    private volatile NewEvents.Seen seen;
    private volatile long polledNanos = System.nanoTime();
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
        this.every = every;
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
        if (loop == null && !closed) {
            polledNanos = System.nanoTime();
            loop = BackgroundLoop.start(threads.name("watch-" + name), this::poll, this::failed);
        }
    }

    /**
     * Waits until a poll that began after a time has shown everything that was stored then.
     *
     * @param sinceNanos of {@link System#nanoTime}
     * @return completes with the last offset that is shown; exceptionally when the poll fails
     */
    public CompletableFuture<Long> awaitTail(long sinceNanos) {
        CompletableFuture<Long> answer = looks.await(sinceNanos);
        if (!answer.isDone()) {
            start();
            wake();
        }
        return answer;
    }

    private synchronized void wake() {
        if (loop != null) {
            loop.wake();
        }
    }

    private Duration poll() {
        TailLooks.Look look = looks.begin();
        NewEvents.Seen now;
        try {
            now = source.after(seen.shown());
        } catch (RuntimeException e) {
            look.failed(e);
            throw e;
        }
        seen = now;
        polledNanos = System.nanoTime();
        failing = false;
        followers.advance(now.shown());
        if (now.shown() < now.end()) {
            boolean isAwaited = look.isAwaited();
            look.unfinished();
            return isAwaited ? Duration.ZERO : every;
        }
        look.succeeded(now.shown());
        return every;
    }

    private void failed(Throwable failure, int inARow) {
        failing = true;
        LOG.atLevel(inARow == 1 ? Level.WARN : Level.DEBUG)
                .log("{}: the poll for new commits failed and is repeated: {}", name, failure.toString());
        LOG.debug("{}: the failure", name, failure);
    }

    /** Whether every follower has taken all events that are shown. */
    public boolean isQuiet() {
        return followers.leastPosition() >= seen.shown();
    }

    /** The lag at the last poll; its seconds are those of now. */
    public FollowLag lag() {
        NewEvents.Seen last = seen;
        long commits = Math.max(0, last.end() - last.shown());
        double seconds = commits == 0 ? 0 : Math.max(0, clockMicros.getAsLong() - last.waitingSinceMicros()) / MICROS;
        long sincePoll = System.nanoTime() - polledNanos;
        if (failing || sincePoll > every.toNanos() + POLL_NANOS_MAX) {
            seconds = Math.max(seconds, sincePoll / (double) TimeUnit.SECONDS.toNanos(1));
        }
        return new FollowLag(commits, Math.round(seconds * MILLIS) / MILLIS);
    }

    /** Ends the loop; a poll that runs is not interrupted. */
    @Override
    public void close() {
        BackgroundLoop running;
        synchronized (this) {
            closed = true;
            running = loop;
        }
        followers.close();
        looks.close(new ServiceException(ErrorCode.SHUTTING_DOWN, name + " is being closed"));
        if (running != null) {
            running.close();
        }
    }
}
