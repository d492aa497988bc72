package service.core.graph.feed;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import service.core.port.Branch;

/**
 * How many commits the consumers of the change feed still have to read, by branch: the largest number that a page or a
 * piece of a stream has left within the last 30 to 60 seconds. A branch without consumers in that time is left out.
 *
 * <p>At most {@value #BRANCHES_MAX} branches have an entry, {@code main} included; the rest share the entry
 * {@value #OTHER}.
 *
 * <p>Thread rule: any thread.
 */
final class FeedLag {
    static final int BRANCHES_MAX = 16;
    static final String OTHER = "other";

    private static final long HALF_WINDOW_NANOS = TimeUnit.SECONDS.toNanos(30);

    private volatile Map<String, Long> current = new ConcurrentHashMap<>();
    private Map<String, Long> previous = new HashMap<>();
    private volatile long since;

    FeedLag(long nowNanos) {
        since = nowNanos;
    }

    /** Takes the number of commits between a consumer and the head of its branch. */
    void left(String branch, long commits, long nowNanos) {
        Long known = current.get(branch);
        // Most consumers have no more to read than another one had, and a thousand may poll at one commit.
        if (known == null || known < commits || nowNanos - since >= HALF_WINDOW_NANOS) {
            enter(branch, commits, nowNanos);
        }
    }

    private synchronized void enter(String branch, long commits, long nowNanos) {
        turn(nowNanos);
        current.merge(isOwn(branch) ? branch : OTHER, commits, Math::max);
    }

    private boolean isOwn(String branch) {
        if (branch.equals(Branch.MAIN) || current.containsKey(branch) || previous.containsKey(branch)) {
            return true;
        }
        Set<String> known = new HashSet<>(current.keySet());
        known.addAll(previous.keySet());
        known.remove(OTHER);
        known.add(Branch.MAIN);
        return known.size() < BRANCHES_MAX;
    }

    private void turn(long nowNanos) {
        long age = nowNanos - since;
        if (age < HALF_WINDOW_NANOS) {
            return;
        }
        previous = age < 2 * HALF_WINDOW_NANOS ? current : new HashMap<>();
        current = new ConcurrentHashMap<>();
        since = nowNanos;
    }

    /** Commits by branch; {@code main} is always present. */
    synchronized Map<String, Long> byBranch(long nowNanos) {
        turn(nowNanos);
        Map<String, Long> lag = new TreeMap<>(previous);
        current.forEach((branch, commits) -> lag.merge(branch, commits, Math::max));
        lag.putIfAbsent(Branch.MAIN, 0L);
        return lag;
    }
}
