package service.projection.storage;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.RetentionPolicy;
import service.core.port.Tag;
import service.log.commit.Writer;
import service.log.format.EventLog;
import service.log.format.GraphImages;
import service.log.format.LogCleanup;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.StorageFailure;
import service.log.retain.Retention;
import service.projection.retain.ArrivalSweep;
import service.projection.retain.BlobSweep;
import service.projection.retain.StripScan;
import service.projection.retain.TableSweep;
import service.projection.search.index.GraphSearch;
import service.projection.table.AppliedTable;
import service.projection.table.CatalogSource;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;

/**
 * Reclaims history while readers and commits continue. Four steps, each durable before the next begins:
 *
 * <ol>
 *   <li><em>mark</em>: writes the new marks to the log. From then on a read of the state before a mark is answered with
 *       410, even while its data is still stored.
 *   <li><em>sweep</em>: deletes the table entries that no readable state needs.
 *   <li><em>base</em>: makes a synced copy of the swept tables the base image, from which a replay starts.
 *   <li><em>strip</em>: removes the images of the reclaimed events; headers and hashes stay. Deletes the blobs to which
 *       no state refers.
 * </ol>
 *
 * <p>When the log is kept outside of this machine, a fifth step puts a base image of the result there, and then deletes
 * the objects that it replaces.
 *
 * <p>The process may be killed at any point: the graph opens as it is, and {@link #resume} continues the cleanup. A
 * sweep may start again from the beginning, and events that are stripped already are skipped.
 *
 * <p>The search for data to delete runs on the calling thread, and the writer only deletes. It deletes in slices whose
 * length {@link SlicePace} sets, and commits a group between two slices. One run at a time; any thread except the
 * writer's.
 */
public final class Cleanup {
    private static final Logger LOG = LoggerFactory.getLogger(Cleanup.class);
    private static final int PLANS_MAX = 3;

    /** The base image of a graph with next to nothing in it is not worth a question. */
    public static final long SMALL_IMAGE_BYTES = 16 << 10;

    /**
     * What a run reclaimed, or what a preview would reclaim.
     *
     * @param commits commits that lose their images
     * @param versions entries deleted from the tables
     * @param logBytes bytes of images and blobs in the log
     * @param blobs blobs to which no state refers
     * @param imageBytes by how much the base image grows, about; 0 for a declared policy
     * @param isSmaller false when that is too much ({@link DiskEffect#isSmaller}); then {@link #runIfSmaller} does
     *     nothing
     * @param pinnedBy the tags without which more would be reclaimed, by name
     */
    public record Report(
            long commits,
            long versions,
            long logBytes,
            long blobs,
            long imageBytes,
            boolean isSmaller,
            List<Tag> pinnedBy) {
        static Report nothing(List<Tag> pinnedBy) {
            return new Report(0, 0, 0, 0, 0, true, pinnedBy);
        }

        private static Report declined(DiskEffect effect, List<Tag> pinnedBy) {
            return new Report(0, 0, 0, 0, effect.imageGrowth(), false, pinnedBy);
        }

        private Report pinnedBy(List<Tag> tags) {
            return new Report(commits, versions, logBytes, blobs, imageBytes, isSmaller, tags);
        }
    }

    private final CleanedGraph graph;
    private final EventLog log;
    private final ProjectionEnvironment environment;
    private final Writer writer;
    private final Checkpoints checkpoints;
    private final ReadHolds holds;
    private final GraphImages images;
    private final CatalogSource catalogs;
    private final GraphSearch indexes;
    private final CleanupSearch search;
    private final LogCleanup logCleanup;
    private final ReentrantLock running = new ReentrantLock();
    private final SlicePace pace = new SlicePace();
    private volatile boolean stopped;

    /** The last offset of the log when a declared policy was last checked. */
    private long lookedAt = -1;

    Cleanup(
            CleanedGraph graph,
            GraphSearch indexes,
            Writer writer,
            Checkpoints checkpoints,
            ReadHolds holds,
            GraphImages images) {
        this.graph = graph;
        this.log = graph.log();
        this.environment = graph.environment();
        this.catalogs = graph.catalogs();
        this.indexes = indexes;
        this.writer = writer;
        this.checkpoints = checkpoints;
        this.holds = holds;
        this.images = images;
        this.search = new CleanupSearch(graph);
        this.logCleanup = new LogCleanup(log);
    }

    /** What {@link #run} would reclaim; changes nothing. */
    public Report preview(RetentionPolicy policy) {
        return search.preview(policy, holds.needs());
    }

    /**
     * Finishes an interrupted earlier run, then reclaims what the policy does not keep.
     *
     * @param pause least time between two slices on the writer's thread; zero when there are no other writes
     */
    public Report run(RetentionPolicy policy, Duration pause) {
        running.lock();
        try {
            resume(pause);
            return reclaim(policy, found -> !found.isNothing(), search::effect, true, pause);
        } finally {
            running.unlock();
        }
    }

    /**
     * Like {@link #run}, but does nothing when a backup of the graph would be larger and the graph not much smaller.
     */
    public Report runIfSmaller(RetentionPolicy policy, Duration pause) {
        running.lock();
        try {
            resume(pause);
            return reclaim(policy, found -> !found.isNothing(), search::effect, images.isKept(), pause);
        } finally {
            running.unlock();
        }
    }

    /**
     * Like {@link #run} for a declared policy, but does nothing when there is too little to reclaim, or when another
     * process does the background work of the graph.
     */
    public Report runIfWorthwhile(RetentionPolicy policy, Duration pause) {
        running.lock();
        try {
            resume(pause);
            if (!images.isOurTurn()) {
                return Report.nothing(List.of());
            }
            long tail = log.tail().offset();
            if (policy.olderThanMicros() == null && tail == lookedAt) {
                return Report.nothing(List.of());
            }
            lookedAt = tail;
            // Nobody is shown what it changes on the disk, which would cost two walks over the log.
            return reclaim(
                    policy, found -> !found.isNothing() && found.isWorthwhile(), found -> DiskEffect.NONE, true, pause);
        } finally {
            running.unlock();
        }
    }

    /** Finishes an interrupted earlier run, if there is one. */
    public void resume(Duration pause) {
        running.lock();
        try {
            if (log.retention().phase() != Retention.Phase.DONE) {
                LOG.info("{}: continuing an interrupted cleanup", log.directory());
                pace.restart();
                finish(pause, log.retention(), 0, DiskEffect.NONE);
            } else {
                publishIfBehind();
            }
            images.sweep();
        } finally {
            running.unlock();
        }
    }

    /**
     * Plans again when, before the marks, a read has begun of a state that the plan takes, or a branch was created from
     * one, or a tag.
     *
     * @param always whether also to make a backup larger
     */
    private Report reclaim(
            RetentionPolicy policy,
            Predicate<CleanupSearch.Found> isDue,
            Function<CleanupSearch.Found, DiskEffect> measure,
            boolean always,
            Duration pause) {
        for (int attempt = 0; attempt < PLANS_MAX; attempt++) {
            CleanupSearch.Found found = search.find(policy, holds.needs());
            if (!isDue.test(found)) {
                return Report.nothing(found.pinnedBy());
            }
            DiskEffect effect = measure.apply(found);
            if (!always && !effect.isSmaller()) {
                return Report.declined(effect, found.pinnedBy());
            }
            Retention before = log.retention();
            pace.restart();
            if (mark(before, found.plan())) {
                return finish(pause, before, found.from(), effect).pinnedBy(found.pinnedBy());
            }
        }
        return Report.nothing(List.of());
    }

    /** Runs on the writer's thread, so that no branch or tag is created between the check and the marks. */
    private boolean mark(Retention before, Retention plan) {
        boolean[] marked = new boolean[1];
        onWriter(() -> marked[0] = !search.takesNamed(before, plan)
                && holds.mark(
                        read -> before.isReadable(read.incarnation(), read.offset())
                                && !plan.isReadable(read.incarnation(), read.offset()),
                        () -> log.retain(log.retention().markedAs(plan))));
        return marked[0];
    }

    private Report finish(Duration pause, Retention before, long from, DiskEffect effect) {
        long versions = 0;
        if (log.retention().phase() == Retention.Phase.MARKED) {
            versions = sweep(pause);
            // While every event is whole a replay needs no image.
            if (images.isKept() || StripScan.finds(log, log.retention(), from)) {
                base();
            }
        }
        StripScan stripped = strip(pause, before, from);
        long blobs = 0;
        long blobBytes = 0;
        BlobSweep lost = BlobSweep.begin(log, environment, catalogs, log.retention());
        if (lost != null) {
            blobs = forget(lost, pause);
            blobBytes = lost.bytes();
        }
        indexes.purge();
        onWriter(() -> log.retain(log.retention().done()));
        publishIfBehind();
        Report report = new Report(
                stripped.commits(),
                versions,
                stripped.bytes() + blobBytes,
                blobs,
                effect.imageGrowth(),
                effect.isSmaller(),
                List.of());
        LOG.info(
                "{}: cleanup took {} and held the writer for at most {} µs at a time",
                log.directory(),
                report,
                TimeUnit.NANOSECONDS.toMicros(pace.longestNanos()));
        return report;
    }

    /** Where the log is kept outside of this machine, a base image of what is left replaces the history there. */
    private void publishIfBehind() {
        if (images.isBaseOutdated()) {
            publish();
        }
    }

    /** Makes a new base image, whether or not there was a cleanup since the last one. */
    void publish() {
        Runnable[] put = {() -> {}};
        checkpoints.hold(() -> {
            Retention.Base base = log.retention().base();
            if (base != null) {
                put[0] = images.spool(GraphImages.Kind.BASE, checkpoints.file(base), base);
            }
        });
        put[0].run();
    }

    private long sweep(Duration pause) {
        TableSweep sweep = new TableSweep(log.retention());
        long versions = 0;
        for (TableSweep.Batch batch = search.next(sweep); batch != null; batch = search.next(sweep)) {
            versions += batch.keys().size();
            TableSweep.Batch all = batch;
            int[] done = new int[1];
            while (done[0] < all.keys().size()) {
                slice(
                        pause,
                        () -> done[0] =
                                graph.write(access -> TableSweep.delete(access, all, done[0], pace.workNanos())));
            }
        }
        ArrivalSweep arrivals = new ArrivalSweep(log.retention(), indexes.durablePosition());
        while (arrivals.hasMore()) {
            slice(pause, () -> graph.write(access -> arrivals.delete(access, pace.workNanos())));
        }
        return versions;
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
                log.retention(),
                applied,
                base -> onWriter(() -> log.retain(log.retention().based(base, Retention.Phase.BASED))));
    }

    private StripScan strip(Duration pause, Retention before, long from) {
        StripScan scan = new StripScan(log, before, log.retention(), from);
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
                growOr(e);
            }
        }
    }

    private long forget(BlobSweep lost, Duration pause) {
        long blobs = 0;
        for (List<byte[]> batch = lost.next(); batch != null; batch = lost.next()) {
            blobs += batch.size();
            List<byte[]> all = batch;
            images.reclaiming(all);
            int[] done = new int[1];
            while (done[0] < all.size()) {
                lost.catchUp(log.tail().offset());
                slice(pause, () -> done[0] = forget(lost, all, done[0]));
            }
        }
        return blobs;
    }

    /** Runs on the writer's thread, so no event is appended meanwhile that could refer to one of the blobs again. */
    private int forget(BlobSweep lost, List<byte[]> digests, int from) {
        lost.catchUp(log.tail().offset());
        while (true) {
            try {
                return logCleanup.forget(digests, digest -> !lost.isReferenced(digest), from, pace.workNanos());
            } catch (StorageFailure e) {
                growOr(e);
            }
        }
    }

    private void growOr(StorageFailure failure) {
        if (failure.kind() != StorageFailure.Kind.MAP_FULL) {
            throw failure;
        }
        log.grow();
    }

    /**
     * The longest time for which a slice of the current or last run has held the writer. A commit may have waited that
     * long. Any thread.
     */
    public Duration longestHold() {
        return Duration.ofNanos(pace.longestNanos());
    }

    /** Ends a run at its next slice with SHUTTING_DOWN. Any thread. */
    public void stop() {
        stopped = true;
    }

    /** Runs a slice, then pauses for at least as long as the slice took, so commits get at least half of the time. */
    private void slice(Duration pause, Runnable step) {
        long began = System.nanoTime();
        onWriter(step);
        if (!pause.isZero()) {
            LockSupport.parkNanos(Math.max(pause.toNanos(), System.nanoTime() - began));
        }
    }

    private void onWriter(Runnable step) {
        if (stopped) {
            throw new ServiceException(ErrorCode.SHUTTING_DOWN, "cleanup was stopped; the next run continues it");
        }
        await(writer::between, () -> {
            long began = System.nanoTime();
            try {
                step.run();
            } finally {
                pace.held(System.nanoTime() - began);
            }
        });
    }

    /** Runs a step on the writer's thread and waits for it. */
    static void await(Function<Runnable, CompletableFuture<Void>> onWriter, Runnable step) {
        try {
            onWriter.apply(step).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new ServiceException(ErrorCode.INTERNAL, "cleanup failed with an internal error", null, e);
        }
    }
}
