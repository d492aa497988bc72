package service.connect;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what a task does. Any thread. */
final class Progress implements GraphTaskMXBean, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Progress.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final double MILLIS_PER_SECOND = 1_000;

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final @Nullable ObjectName name;

    private boolean connected;
    private boolean snapshot;
    private long snapshotRecords;
    private long records;
    private long commits;
    private String lastCommit = "";
    private long retries;
    private long gaps;
    private String error = "";

    /** Commits that were not read; −1 before the first page. */
    private long unread = -1;

    private long lookedNanos = System.nanoTime() - LOOK_NANOS;
    private long givenCommits;

    /** No commit that is not acknowledged is older; milliseconds since 1970. */
    private long oldestMillis;

    Progress(GraphSourceConfig config) {
        this.name = register("service.graph:type=connector-metrics,server=" + ObjectName.quote(config.prefix())
                + ",graph=" + ObjectName.quote(config.graph()) + ",branch=" + ObjectName.quote(config.branch()));
    }

    private @Nullable ObjectName register(String text) {
        try {
            ObjectName made = new ObjectName(text);
            // A task that the worker has given up may still hold the name.
            if (server.isRegistered(made)) {
                server.unregisterMBean(made);
            }
            server.registerMBean(this, made);
            return made;
        } catch (JMException e) {
            LOG.warn("{} is not shown by JMX", text, e);
            return null;
        }
    }

    synchronized void snapshotBegins() {
        snapshot = true;
    }

    synchronized void snapshotRecords(int count) {
        connected = true;
        snapshotRecords += count;
    }

    synchronized void snapshotEnds() {
        snapshot = false;
    }

    synchronized void failed(String why) {
        connected = false;
        retries++;
        error = why;
    }

    synchronized void answered() {
        connected = true;
        error = "";
    }

    synchronized void gap() {
        gaps++;
    }

    /** Notes the records that are given to Kafka. */
    synchronized void given(List<GraphRecord> given) {
        for (GraphRecord record : given) {
            if (givenCommits == commits) {
                oldestMillis = Math.max(oldestMillis, record.from().millis());
            }
            if (record.isLast()) {
                givenCommits++;
            }
        }
    }

    /** Forgets what was given and will never be acknowledged. */
    synchronized void aborted() {
        givenCommits = commits;
    }

    /** Notes a record that Kafka has acknowledged, or a transformation left out. */
    synchronized void acknowledged(GraphRecord record) {
        records++;
        oldestMillis = Math.max(oldestMillis, record.from().millis());
        if (record.isLast()) {
            commits++;
            lastCommit = record.from().id();
        }
    }

    /**
     * Notes a page of the feed.
     *
     * @param last the last commit that was read; null before the first one
     */
    void read(@Nullable CommitInfo last, boolean caughtUp, CommitLookup lookup) {
        synchronized (this) {
            if (caughtUp || last == null) {
                unread = caughtUp ? 0 : unread;
                return;
            }
            if (System.nanoTime() - lookedNanos < LOOK_NANOS) {
                return;
            }
            lookedNanos = System.nanoTime();
        }
        try {
            long now = lookup.commitsAfter(last);
            synchronized (this) {
                unread = now;
            }
        } catch (IOException e) {
            LOG.debug("how far the feed is behind is not known", e);
        }
    }

    @Override
    public synchronized boolean isConnected() {
        return connected;
    }

    @Override
    public synchronized boolean isSnapshotRunning() {
        return snapshot;
    }

    @Override
    public synchronized long getSnapshotRecords() {
        return snapshotRecords;
    }

    @Override
    public synchronized long getAcknowledgedRecords() {
        return records;
    }

    @Override
    public synchronized long getAcknowledgedCommits() {
        return commits;
    }

    @Override
    public synchronized String getLastCommitId() {
        return lastCommit;
    }

    @Override
    public synchronized long getLagInCommits() {
        return unread < 0 ? -1 : unread + Math.max(0, givenCommits - commits);
    }

    @Override
    public synchronized double getLagInSeconds() {
        long lag = getLagInCommits();
        return lag <= 0 ? lag : Math.max(0, System.currentTimeMillis() - oldestMillis) / MILLIS_PER_SECOND;
    }

    @Override
    public synchronized long getRetries() {
        return retries;
    }

    @Override
    public synchronized long getGaps() {
        return gaps;
    }

    @Override
    public synchronized String getLastError() {
        return error;
    }

    @Override
    public void close() {
        try {
            if (name != null && server.isRegistered(name)) {
                server.unregisterMBean(name);
            }
        } catch (JMException e) {
            LOG.debug("{} was not shown by JMX any more", name, e);
        }
    }
}
