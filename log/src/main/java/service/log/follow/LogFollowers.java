package service.log.follow;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import service.core.port.CommitFollower;

/** The followers of one log. Any thread. */
public final class LogFollowers implements AutoCloseable {
    private final List<LogFollower> followers = new CopyOnWriteArrayList<>();
    private final String name;

    /** @param name name of the threads that pass commits to followers */
    public LogFollowers(String name) {
        this.name = name;
    }

    /** Adds a follower that has taken all events up to an offset. */
    public void add(CommitFollower follower, long position) {
        followers.add(new LogFollower(name, follower, position));
    }

    /** Notifies all followers that everything up to an offset is durable and visible; returns at once. */
    public void advance(long offset) {
        for (LogFollower follower : followers) {
            follower.advance(offset);
        }
    }

    /** The last offset that every follower has taken; {@link Long#MAX_VALUE} without followers. */
    public long leastPosition() {
        long least = Long.MAX_VALUE;
        for (LogFollower follower : followers) {
            least = Math.min(least, follower.position());
        }
        return least;
    }

    @Override
    public void close() {
        followers.forEach(LogFollower::close);
    }
}
