package service.projection.storage;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
 *   <li><em>mark</em>: writes the new marks to the log ({@link CleanupMarks}). From then on a read of the state before
 *       a mark is answered with 410, even while its data is still stored.
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
    private final WriterSlices slices;
    private final Checkpoints checkpoints;
    private final CleanupMarks marks;
    private final GraphImages images;
    private final CatalogSource catalogs;
    private final GraphSearch indexes;
    private final CleanupSearch search;
    private final LogCleanup logCleanup;
    private final ReentrantLock running = new ReentrantLock();
    private final SlicePace pace = new SlicePace();

    /** The last offset of the log when a declared policy was last checked. */
    private long lookedAt = -1;

    Cleanup(
            CleanedGraph graph,
            GraphSearch indexes,
            Writer writer,
            Checkpoints checkpoints,
            CleanupMarks marks,
            GraphImages images) {
        this.graph = graph;
        this.log = graph.log();
        this.environment = graph.environment();
        this.catalogs = graph.catalogs();
        this.indexes = indexes;
        this.slices = new WriterSlices(writer, pace);
        this.checkpoints = checkpoints;
        this.marks = marks;
        this.images = images;
        this.search = new CleanupSearch(graph);
        this.logCleanup = new LogCleanup(log);
    }

    /** What {@link #run} would reclaim; changes nothing. */
    public Report preview(RetentionPolicy policy) {
        return search.preview(policy, marks.needs());
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
            }
            if (images.isBaseUpToUs()) {
                publish();
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
            CleanupSearch.Found found = search.find(policy, marks.needs());
            if (!isDue.test(found)) {
                return Report.nothing(found.pinnedBy());
            }
            DiskEffect effect = measure.apply(found);
            if (!always && !effect.isSmaller()) {
                return Report.declined(effect, found.pinnedBy());
            }
            Retention before = log.retention();
            pace.restart();
            if (marks.set(before, found.plan())) {
                Report report = finish(pause, before, found.from(), effect).pinnedBy(found.pinnedBy());
                if (images.isBaseOutdated()) {
                    publish();
                }
                return report;
            }
        }
        return Report.nothing(List.of());
    }

    /** What a pass over the marks has deleted. */
    private record Deleted(long commits, long versions, long bytes, long blobs) {
        Deleted plus(Deleted other) {
            return new Deleted(
                    commits + other.commits, versions + other.versions, bytes + other.bytes, blobs + other.blobs);
        }
    }

    /** Begins again when another process has set further marks meanwhile. */
    private Report finish(Duration pause, Retention before, long from, DiskEffect effect) {
        Deleted all = new Deleted(0, 0, 0, 0);
        Retention known = before;
        long first = from;
        do {
            Retention taken = log.retention();
            all = all.plus(delete(taken, known, first, pause));
            known = taken;
            first = 0;
        } while (log.retention().phase() != Retention.Phase.DONE);
        Report report = new Report(
                all.commits, all.versions, all.bytes, all.blobs, effect.imageGrowth(), effect.isSmaller(), List.of());
        LOG.info(
                "{}: cleanup took {} and held the writer for at most {} µs at a time",
                log.directory(),
                report,
                TimeUnit.NANOSECONDS.toMicros(pace.longestNanos()));
        return report;
    }

    /** One pass; its phases end only while no further marks are set. */
    private Deleted delete(Retention taken, Retention before, long from, Duration pause) {
        long versions = 0;
        if (taken.phase() == Retention.Phase.MARKED) {
            versions = sweep(taken, pause);
            // While every event is whole a replay needs no image.
            if (images.isKept() || StripScan.finds(log, taken, from)) {
                base(taken);
            }
            if (!log.retention().takesTheSameAs(taken)) {
                return new Deleted(0, versions, 0, 0);
            }
        }
        StripScan stripped = strip(taken, pause, before, from);
        long blobs = 0;
        long blobBytes = 0;
        BlobSweep lost = BlobSweep.begin(log, environment, catalogs, taken);
        if (lost != null) {
            blobs = forget(lost, pause);
            blobBytes = lost.bytes();
        }
        indexes.purge();
        unlessMarkedAgain(taken, Retention::done);
        return new Deleted(stripped.commits(), versions, stripped.bytes() + blobBytes, blobs);
    }

    private void unlessMarkedAgain(Retention taken, UnaryOperator<Retention> next) {
        slices.onWriter(() -> {
            if (log.retention().takesTheSameAs(taken)) {
                log.retain(next.apply(log.retention()));
            }
        });
    }

    /**
     * Where the log is kept outside of this machine, a base image of what is left replaces the history there. Makes a
     * new one, whether or not there was a cleanup since the last one.
     */
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

    private long sweep(Retention taken, Duration pause) {
        TableSweep sweep = new TableSweep(taken);
        long versions = 0;
        for (TableSweep.Batch batch = search.next(sweep); batch != null; batch = search.next(sweep)) {
            versions += batch.keys().size();
            TableSweep.Batch all = batch;
            int[] done = new int[1];
            while (done[0] < all.keys().size()) {
                slices.slice(
                        pause,
                        () -> done[0] =
                                graph.write(access -> TableSweep.delete(access, all, done[0], pace.workNanos())));
            }
        }
        ArrivalSweep arrivals = new ArrivalSweep(taken, indexes.durablePosition());
        while (arrivals.hasMore()) {
            slices.slice(pause, () -> graph.write(access -> arrivals.delete(access, pace.workNanos())));
        }
        return versions;
    }

    private void base(Retention taken) {
        long applied;
        try (ReadTransaction read = environment.environment().read()) {
            TableAccess access = environment.access(read);
            applied = AppliedTable.offset(access);
            access.end();
        }
        checkpoints.write(
                environment,
                taken,
                applied,
                base -> unlessMarkedAgain(taken, now -> now.based(base, Retention.Phase.BASED)));
    }

    private StripScan strip(Retention taken, Duration pause, Retention before, long from) {
        StripScan scan = new StripScan(log, before, taken, from);
        while (scan.hasNext()) {
            long[] offsets = scan.next();
            int[] done = new int[1];
            while (done[0] < offsets.length) {
                slices.slice(pause, () -> done[0] = strip(offsets, done[0]));
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
            int[] done = new int[1];
            while (done[0] < all.size()) {
                lost.catchUp(log.tail().offset());
                slices.slice(pause, () -> done[0] = forget(lost, all, done[0]));
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
        slices.stop();
    }
}
