package service.log.follow;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import service.core.lifecycle.BackgroundLoop;
import service.core.port.CommitFollower;

/**
 * The loop that passes the events after a follower's position to its {@link CommitFollower}. {@link #advance} reports
 * the last offset of the log. A virtual thread runs only while there are events to pass. Commits that arrive during a
 * call are passed together in the next call.
 *
 * <p>Thread rule: any thread.
 */
public final class LogFollower {
    private static final Logger LOG = LoggerFactory.getLogger(LogFollower.class);

    private final String name;
    private final CommitFollower target;
    private long position;
    private long end;
    private boolean running;
    private boolean closed;

    /**
     * @param name name of the thread
     * @param position the follower has taken all events up to this offset
     */
    LogFollower(String name, CommitFollower target, long position) {
        this.name = name;
        this.target = target;
        this.position = position;
        this.end = position;
    }

    /** The last offset that the follower has taken. */
    synchronized long position() {
        return position;
    }

    /** Notes that everything up to an offset is durable and visible; returns at once. */
    synchronized void advance(long offset) {
        if (closed || offset <= end) {
            return;
        }
        end = offset;
        if (running) {
            return;
        }
        if (target.isInterested(offset)) {
            running = true;
            BackgroundLoop.start(Thread.ofVirtual().name(name), this::pass, this::failed);
        } else {
            position = offset;
        }
    }

    /** Passes what has come; the loop is done when there is nothing more. */
    private @Nullable Duration pass() {
        long from;
        long to;
        synchronized (this) {
            if (!target.isInterested(end)) {
                position = end;
            }
            if (closed || position == end) {
                running = false;
                return null;
            }
            from = position + 1;
            to = end;
        }
        target.committed(from, to);
        synchronized (this) {
            position = to;
        }
        return Duration.ZERO;
    }

    private void failed(Throwable failure, int inARow) {
        LOG.atLevel(inARow == 1 ? Level.WARN : Level.DEBUG)
                .setCause(failure)
                .log("{}: the follower failed on events after {}; they are passed again", name, position());
    }

    /** Passes no further events; a running call is not interrupted. */
    synchronized void close() {
        closed = true;
    }
}
