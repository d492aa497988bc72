package service.projection.storage;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.graph.branch.MergeBases;
import service.core.port.GraphSession;
import service.core.port.RetentionPolicy;
import service.log.commit.Writer;
import service.log.follow.LogFollowers;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.format.LogCleanup;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.StorageFailure;
import service.log.lmdb.WriteTransaction;
import service.log.retain.Retention;
import service.projection.retain.BlobSweep;
import service.projection.retain.RetentionPlan;
import service.projection.retain.StripScan;
import service.projection.retain.TableSweep;
import service.projection.table.AppliedTable;
import service.projection.table.CatalogSource;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;
import service.projection.view.Sessions;

/**
 * Reclaims history, beside readers and commits. Four steps, each durable before the next:
 *
 * <ol>
 *   <li><em>mark</em>: the new marks go into the log. From here on what lies behind them is answered with 410, whatever
 *       is still there.
 *   <li><em>sweep</em>: the tables lose the entries that no readable state needs.
 *   <li><em>base</em>: a synced copy of the swept tables becomes what a replay starts from.
 *   <li><em>strip</em>: the reclaimed events lose their images; headers and hashes stay. Blobs that no state refers to
 *       any more are forgotten.
 * </ol>
 *
 * Killed anywhere, the graph opens as it is, and {@link #resume} goes on: a sweep may begin again at any time, and an
 * event that is stripped already is passed over.
 *
 * <p>What is looked for is looked for beside the writer; the writer only deletes, for as long at a time as
 * {@link SlicePace} says, with a group of commits between any two slices. One run at a time; any thread but the
 * writer's.
 */
public final class Cleanup {
    private static final Logger LOG = LoggerFactory.getLogger(Cleanup.class);

    /** A declared policy is run once a tenth more than it keeps could be reclaimed. */
    private static final int WORTHWHILE_PART = 10;

    /**
     * What was reclaimed, or would be.
     *
     * @param commits that lose their images
     * @param versions entries that the tables lose
     * @param logBytes of images and blobs in the log
     * @param blobs whose bytes are in no state any more
     */
    public record Report(long commits, long versions, long logBytes, long blobs) {
        static final Report NOTHING = new Report(0, 0, 0, 0);
    }

    private final EventLog log;
    private final ProjectionEnvironment environment;
    private final Writer writer;
    private final Checkpoints checkpoints;
    private final LogFollowers followers;
    private final CatalogSource catalogs;
    private final LongSupplier clockMicros;
    private final LogCleanup logCleanup;
    private final ReentrantLock running = new ReentrantLock();
    private final SlicePace pace = new SlicePace();
    private volatile boolean stopped;

    /** The end of the log when a declared policy was last looked at. */
    private long lookedAt = -1;

    Cleanup(
            EventLog log,
            ProjectionEnvironment environment,
            Writer writer,
            Checkpoints checkpoints,
            LogFollowers followers,
            CatalogSource catalogs,
            LongSupplier clockMicros) {
        this.log = log;
        this.environment = environment;
        this.writer = writer;
        this.checkpoints = checkpoints;
        this.followers = followers;
        this.catalogs = catalogs;
        this.clockMicros = clockMicros;
        this.logCleanup = new LogCleanup(log);
    }

    /** What {@link #run} would reclaim; changes nothing. */
    public Report preview(RetentionPolicy policy) {
        Found found = find(policy);
        if (found.isNothing()) {
            return Report.NOTHING;
        }
        TableSweep sweep = new TableSweep(found.plan());
        long versions = 0;
        for (TableSweep.Batch batch = next(sweep); batch != null; batch = next(sweep)) {
            versions += batch.keys().size();
        }
        long blobs = 0;
        long blobBytes = 0;
        BlobSweep lost = BlobSweep.begin(log, environment, catalogs, found.plan());
        if (lost != null) {
            for (List<byte[]> batch = lost.next(); batch != null; batch = lost.next()) {
                blobs += batch.size();
            }
            blobBytes = lost.bytes();
        }
        return new Report(found.commits(), versions, found.bytes() + blobBytes, blobs);
    }

    /**
     * Reclaims what the policy does not keep, after finishing what an earlier run has left.
     *
     * @param pause least time between two slices of the writer; zero when nobody else writes
     */
    public Report run(RetentionPolicy policy, Duration pause) {
        running.lock();
        try {
            resume(pause);
            Found found = find(policy);
            if (found.isNothing()) {
                return Report.NOTHING;
            }
            pace.restart();
            mark(found.plan());
            return finish(pause, found.from());
        } finally {
            running.unlock();
        }
    }

    /** {@link #run}, unless so little could be reclaimed that it is not worth the work yet. */
    public Report runIfWorthwhile(RetentionPolicy policy, Duration pause) {
        running.lock();
        try {
            resume(pause);
            long tail = log.tail().offset();
            if (policy.olderThanMicros() == null && tail == lookedAt) {
                return Report.NOTHING;
            }
            Found found = find(policy);
            lookedAt = tail;
            if (found.isNothing() || !found.isWorthwhile()) {
                return Report.NOTHING;
            }
            pace.restart();
            mark(found.plan());
            return finish(pause, found.from());
        } finally {
            running.unlock();
        }
    }

    /** Finishes what an earlier run has left, if any. */
    public void resume(Duration pause) {
        running.lock();
        try {
            if (log.retention().phase() != Retention.Phase.DONE) {
                LOG.info("{}: going on with a cleanup that was cut short", log.directory());
                pace.restart();
                finish(pause, 0);
            }
        } finally {
            running.unlock();
        }
    }

    /**
     * A plan and its effect.
     *
     * @param from the first offset at which an event can lose its images
     * @param kept events at or behind {@code from} that keep theirs
     */
    private record Found(Retention plan, long from, long commits, long bytes, long kept, boolean unpins) {
        boolean isNothing() {
            return commits == 0 && bytes == 0 && !unpins;
        }

        boolean isWorthwhile() {
            return commits * WORTHWHILE_PART >= kept;
        }
    }

    private Found find(RetentionPolicy policy) {
        Retention before = log.retention();
        Retention plan;
        long from;
        try (ReadTransaction read = environment.environment().read();
                EventReader events = log.read()) {
            TableAccess access = environment.access(read);
            try (GraphSession session = new Sessions(environment, log, catalogs).over(access)) {
                plan = RetentionPlan.of(
                        access,
                        events,
                        new MergeBases(session),
                        policy,
                        before,
                        followers.leastPosition(),
                        clockMicros.getAsLong());
                from = RetentionPlan.firstChanged(access, before, plan);
            } finally {
                access.end();
            }
        }
        long tail = log.tail().offset();
        StripScan scan = new StripScan(log, plan, from);
        while (scan.hasNext()) {
            scan.next();
        }
        long kept = from > tail ? 0 : tail + 1 - from - scan.events();
        return new Found(plan, from, scan.commits(), scan.bytes(), kept, plan.pinCount() < before.pinCount());
    }

    private void mark(Retention plan) {
        onWriter(() -> log.retain(log.retention().markedAs(plan)));
    }

    private Report finish(Duration pause, long from) {
        long versions = 0;
        if (log.retention().phase() == Retention.Phase.MARKED) {
            versions = sweep(pause);
            base();
        }
        StripScan stripped = strip(pause, from);
        long blobs = 0;
        long blobBytes = 0;
        BlobSweep lost = BlobSweep.begin(log, environment, catalogs, log.retention());
        if (lost != null) {
            blobs = forget(lost, pause);
            blobBytes = lost.bytes();
        }
        onWriter(() -> log.retain(log.retention().done()));
        Report report = new Report(stripped.commits(), versions, stripped.bytes() + blobBytes, blobs);
        LOG.info(
                "{}: cleanup took {} and held the writer for at most {} µs at a time",
                log.directory(),
                report,
                TimeUnit.NANOSECONDS.toMicros(pace.longestNanos()));
        return report;
    }

    private long sweep(Duration pause) {
        TableSweep sweep = new TableSweep(log.retention());
        long versions = 0;
        for (TableSweep.Batch batch = next(sweep); batch != null; batch = next(sweep)) {
            versions += batch.keys().size();
            TableSweep.Batch all = batch;
            int[] done = new int[1];
            while (done[0] < all.keys().size()) {
                slice(pause, () -> done[0] = delete(all, done[0]));
            }
        }
        return versions;
    }

    private TableSweep.@Nullable Batch next(TableSweep sweep) {
        try (ReadTransaction read = environment.environment().read()) {
            TableAccess access = environment.access(read);
            try {
                return sweep.next(access);
            } finally {
                access.end();
            }
        }
    }

    private int delete(TableSweep.Batch batch, int from) {
        while (true) {
            try (WriteTransaction write = environment.environment().write()) {
                TableAccess access = environment.access(write);
                int at;
                try {
                    at = TableSweep.delete(access, batch, from, pace.workNanos());
                } finally {
                    access.end();
                }
                write.commit();
                return at;
            } catch (LmdbException e) {
                growOr(StorageFailure.of(e, environment.environment().directory()), true);
            } catch (StorageFailure e) {
                growOr(e, true);
            }
        }
    }

    private void base() {
        long applied;
        try (ReadTransaction read = environment.environment().read()) {
            TableAccess access = environment.access(read);
            applied = AppliedTable.offset(access);
            access.end();
        }
        checkpoints.write(
                environment,
                applied,
                base -> onWriter(() -> log.retain(log.retention().based(base, Retention.Phase.BASED))));
    }

    private StripScan strip(Duration pause, long from) {
        StripScan scan = new StripScan(log, log.retention(), from);
        while (scan.hasNext()) {
            long[] offsets = scan.next();
            int[] done = new int[1];
            while (done[0] < offsets.length) {
                slice(pause, () -> done[0] = strip(offsets, done[0]));
            }
        }
        return scan;
    }

    private int strip(long[] offsets, int from) {
        while (true) {
            try {
                return logCleanup.strip(offsets, from, pace.workNanos());
            } catch (StorageFailure e) {
                growOr(e, false);
            }
        }
    }

    private long forget(BlobSweep lost, Duration pause) {
        long blobs = 0;
        for (List<byte[]> batch = lost.next(); batch != null; batch = lost.next()) {
            blobs += batch.size();
            List<byte[]> all = batch;
            int[] done = new int[1];
            while (done[0] < all.size()) {
                lost.catchUp(log.tail().offset());
                slice(pause, () -> done[0] = forget(lost, all, done[0]));
            }
        }
        return blobs;
    }

    /** On the writer's thread nothing is appended meanwhile, so what is lost stays lost. */
    private int forget(BlobSweep lost, List<byte[]> digests, int from) {
        lost.catchUp(log.tail().offset());
        while (true) {
            try {
                return logCleanup.forget(digests, digest -> !lost.isReferenced(digest), from, pace.workNanos());
            } catch (StorageFailure e) {
                growOr(e, false);
            }
        }
    }

    private void growOr(StorageFailure failure, boolean tables) {
        if (failure.kind() != StorageFailure.Kind.MAP_FULL) {
            throw failure;
        }
        if (tables) {
            environment.environment().grow();
        } else {
            log.grow();
        }
    }

    /**
     * The longest that the current run, or the last one, has held the writer at a time: what a commit may have waited
     * for it. Any thread.
     */
    public Duration longestHold() {
        return Duration.ofNanos(pace.longestNanos());
    }

    /** Lets a run that is going on end at its next slice, with SHUTTING_DOWN. Any thread. */
    public void stop() {
        stopped = true;
    }

    /** Runs a slice, then pauses for at least as long as it took: commits keep half of the time. */
    private void slice(Duration pause, Runnable step) {
        long began = System.nanoTime();
        onWriter(step);
        if (!pause.isZero()) {
            LockSupport.parkNanos(Math.max(pause.toNanos(), System.nanoTime() - began));
        }
    }

    private void onWriter(Runnable step) {
        if (stopped) {
            throw new ServiceException(ErrorCode.SHUTTING_DOWN, "cleanup was stopped; it goes on with the next one");
        }
        await(writer, () -> {
            long began = System.nanoTime();
            try {
                step.run();
            } finally {
                pace.held(System.nanoTime() - began);
            }
        });
    }

    /** Runs a step on the writer's thread and waits for it. */
    static void await(Writer writer, Runnable step) {
        try {
            writer.between(step).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new ServiceException(ErrorCode.INTERNAL, "cleanup failed for a reason that is ours", null, e);
        }
    }
}
