package service.log.segment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ServiceException;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.core.event.SchemaChange;
import service.core.value.Ulid;
import service.log.files.FileTrees;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.format.GraphImages;
import service.log.format.LogHome;
import service.log.group.GroupSink;
import service.log.group.LogTail;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.StorageFailure;

/**
 * A log whose segments are in object storage, and its copy in a directory of this machine. Opening reads only what the
 * copy does not have; a copy that the segments do not continue is deleted and made again. The copy is not synced, so
 * one from before the last start of the machine is used only after a clean close.
 *
 * <p>The caller holds the lock of the directory's cache. One thread.
 */
public final class SegmentedLog implements LogHome {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentedLog.class);

    private static final Duration CREATE_PATIENCE = Duration.ofSeconds(30);

    /** How long a group waits for the outcome of its PUT before its writes are answered. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** How long the background work of a graph is left to one process. */
    private static final Duration LEASE = Duration.ofMinutes(1);

    /** How long closing waits for an unknown outcome. */
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(30);

    private final SegmentStore segments;
    private final Path directory;
    private final LmdbOptions options;
    private final CommitHook hook;
    private final String boot;
    private final CacheMark mark;
    private final PackedSegments packed;
    private final CopyCheck check;
    private final NewSegments fresh;
    private final CopyOrigin origin;
    private final Source source;
    private Runnable closed = () -> {};
    private int packEach = Packing.Limits.SEGMENTS;
    private GraphImages images = GraphImages.NONE;
    private @Nullable PackLoop packing;
    private @Nullable WorkLease lease;
    private volatile @Nullable KnownSegment known;
    private @Nullable ImageKey missingBase;
    private volatile boolean leftBehind;

    /**
     * Names a log; sends no request.
     *
     * @param directory of the copy; may be missing
     * @param boot an id of the machine's current boot; empty when it is unknown
     */
    public SegmentedLog(SegmentStore segments, Path directory, LmdbOptions options, CommitHook hook, String boot) {
        this(segments, directory, options, hook, boot, Source.NEWEST_IMAGE);
    }

    /** What an opening without a copy reads. */
    public enum Source {
        /** The newest image that verifies, and the segments after it. */
        NEWEST_IMAGE,
        /** The base image if there is one, and all segments after it. */
        WHOLE_LOG,
        /** As before, and every checkpoint to compare its digest. A damaged one is thrown. */
        EVERY_OBJECT
    }

    /** @param source what is read when there is no copy */
    public SegmentedLog(
            SegmentStore segments, Path directory, LmdbOptions options, CommitHook hook, String boot, Source source) {
        this.source = source;
        this.segments = segments;
        this.directory = directory;
        this.options = options;
        this.hook = hook;
        this.boot = boot;
        this.mark = new CacheMark(directory, boot, segments.location());
        this.packed = new PackedSegments(segments);
        this.check = new CopyCheck(segments, packed, this::missing);
        this.fresh = new NewSegments(segments, packed, this::missing);
        this.origin = new CopyOrigin(directory);
    }

    /** Sets what is called when the log is closed: it gives the directory of the copy back. Before it is opened. */
    public SegmentedLog whenClosed(Runnable action) {
        closed = action;
        return this;
    }

    /** Sets how many small segments are packed into one object, where it is not a thousand. Before it is opened. */
    public SegmentedLog packEach(int segmentsEach) {
        packEach = segmentsEach;
        return this;
    }

    /**
     * Creates a graph: its first segment, all or nothing.
     *
     * @throws ServiceException CONFLICT when there is a graph already
     * @throws service.core.port.ObjectStoreException when the store fails; the graph exists then, or does not
     */
    @Override
    public EventLog create(SchemaChange schema, @Nullable String actor, long nowMicros) {
        remove();
        EventLog log = EventLog.create(directory, options, hook, schema, actor, nowMicros);
        try {
            LogTail tail = log.tail();
            SegmentHeader header;
            try (EventReader reader = log.read();
                    Segment segment = genesis(log, reader)) {
                header = segment.header();
                if (new SegmentPut(segments, segment).run(CREATE_PATIENCE) != SegmentPut.Result.STORED) {
                    throw ServiceException.conflict("there is a graph at " + segments.location() + " already");
                }
            }
            LOG.debug("{}: created with {} to {}", segments.location(), header.first(), tail.offset());
            mark.open();
            return log;
        } catch (IOException e) {
            log.close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException | Error e) {
            log.close();
            throw e;
        }
    }

    private Segment genesis(EventLog log, EventReader reader) throws IOException {
        DirectBuffer event = reader.bytes(0);
        LogTail tail = log.tail();
        SegmentHeader header = new SegmentHeader(
                log.graph(), 0, 0, EventCodec.hashBeforeFirst(), tail.hash(), event.capacity(), log.secret());
        return Segment.write(
                header, () -> directory.resolve("genesis.put"), events -> events.take(event, 0, event.capacity()));
    }

    /**
     * Opens the log and reads the segments that the copy does not have.
     *
     * @throws ServiceException NOT_FOUND when there is no such graph
     * @throws EventFormatException when a segment is damaged, missing, or of another graph; the message names its key
     * @throws service.core.port.ObjectStoreException when the store fails
     */
    @Override
    public EventLog open() {
        EventLog log = openCopy();
        ImageRestore restore = null;
        if (log == null) {
            remove();
            if (segments.firstOffsets(-1, 1).isEmpty()) {
                throw ServiceException.notFound("no graph at " + segments.location() + ": create one first");
            }
            restore = restore();
            log = makeCopy(restore);
        }
        try {
            catchUp(log);
            requireEnd(log, restore);
            mark.open();
            return log;
        } catch (RuntimeException | Error e) {
            log.close();
            throw e;
        }
    }

    private ImageRestore restore() {
        return new ImageRestore(
                segments.images(),
                directory,
                () -> EventLog.open(directory, options, hook),
                image -> check.isContinued(image.graph(), image.offset(), image.hash()));
    }

    /** Throws when a checkpoint proves that the newest segments are missing. */
    private void requireEnd(EventLog log, @Nullable ImageRestore restore) {
        ImageKey later = restore == null ? null : restore.checkpointAfter(log);
        if (later != null) {
            long next = log.tail().offset() + 1;
            throw EventFormatException.damaged(
                    next,
                    segments.uri(segments.key(next)) + " is missing: the checkpoint "
                            + segments.images().uri(GraphImages.Kind.CHECKPOINT, later)
                            + " has its event; restore the segment, or delete the checkpoint to go on without it");
        }
    }

    /** From the newest image, or from the first segment when there is none. */
    private EventLog makeCopy(ImageRestore restore) {
        EventLog log = restore.run(source);
        missingBase = restore.missingBase() == null ? missingBase : restore.missingBase();
        if (log == null) {
            remove();
            log = EventLog.copy(
                    directory, options, hook, empty -> SegmentIntake.take(0, empty, segments, () -> fresh.require(0)));
        }
        return log;
    }

    @Override
    @SuppressWarnings("MustBeClosedChecker") // closed by the storage
    public GroupSink sink(EventLog log, Runnable settled) {
        BucketImages.Clocks clocks = BucketImages.Clocks.MACHINE;
        Duration kept = segments.reclaimDelay();
        WorkLease work = new WorkLease(segments, Ulid.random(), LEASE, clocks.millis());
        lease = work;
        PackLoop loop = new PackLoop(
                new Packing(segments, log, Packing.Limits.keeping(kept, packEach), clocks.monotonicMillis()), work);
        packing = loop;
        BucketImages made = new BucketImages(segments, log, BucketImages.Limits.keeping(kept), clocks, work);
        images = made;
        SegmentSink sink = new SegmentSink(
                log,
                segments,
                new SegmentSink.Waits(PATIENCE, CLOSE_WAIT),
                new SegmentSink.Calls(settled, loop::stored, () -> isLeftBehind(log)),
                fresh);
        KnownSegment newest = new KnownSegment(
                segments,
                log.graph(),
                () -> CopyCheck.lastFirstUpTo(segments, log.tail().offset()));
        known = newest;
        sink.watch(newest);
        return sink;
    }

    @Override
    public void compareStored() {
        KnownSegment now = known;
        if (now != null) {
            now.check();
        }
    }

    @Override
    public @Nullable String detached() {
        KnownSegment now = known;
        return now == null ? null : now.finding();
    }

    /** Whether a base image has events that the copy lacks, so that their segments may be deleted. */
    private boolean isLeftBehind(EventLog log) {
        ImageKey base = segments.images().newestBase();
        leftBehind |= base != null && base.offset() > log.tail().offset();
        return leftBehind;
    }

    @Override
    public boolean isLeftBehind() {
        return leftBehind;
    }

    @Override
    public GraphImages images(EventLog log) {
        return images;
    }

    /** Syncs the copy, so that it can be used after the next start of the machine. */
    @Override
    public void close(EventLog log, GroupSink sink) {
        try {
            closeCopy(log, sink);
        } finally {
            closed.run();
        }
    }

    private void closeCopy(EventLog log, GroupSink sink) {
        try {
            PackLoop loop = packing;
            if (loop != null) {
                loop.close();
            }
            if (sink instanceof SegmentSink asking) {
                asking.close();
            }
            release();
            log.environment().sync();
        } finally {
            log.close();
        }
        mark.clean();
    }

    private void release() {
        WorkLease taken = lease;
        try {
            if (taken != null) {
                taken.release();
            }
        } catch (UncheckedIOException e) {
            LOG.debug("{}: the lease of the background work ends by itself", segments.location(), e);
        }
    }

    /** The copy, if it may be used and the segments continue it. */
    private @Nullable EventLog openCopy() {
        if (!mark.isUsable()) {
            return null;
        }
        EventLog log;
        try {
            log = EventLog.open(directory, options, hook);
        } catch (EventFormatException | StorageFailure e) {
            LOG.warn("{}: the copy of {} is damaged and made again", directory, segments.location(), e);
            return null;
        }
        try {
            if (isOfNewestBase()
                    && check.isContinued(
                            log.graph(), log.tail().offset(), log.tail().hash())) {
                return log;
            }
        } catch (RuntimeException | Error e) {
            log.close();
            throw e;
        }
        LOG.warn("{}: the copy does not belong to {} and is made again", directory, segments.location());
        log.close();
        return null;
    }

    /** Whether the copy has exactly what the newest cleanup has left. */
    private boolean isOfNewestBase() {
        ImageKey own = origin.key();
        ImageKey newest = segments.images().newestBase();
        if (newest == null) {
            missingBase = own;
        }
        return Objects.equals(own, newest);
    }

    /** Whether a cleanup has made a base image since the copy was made. */
    boolean isOutdated() {
        ImageKey newest = segments.images().newestBase();
        return newest != null && !newest.equals(origin.key());
    }

    /** The same log with its copy in a directory beside this one. */
    SegmentedLog beside() {
        // A dot, which no graph id has.
        Path other = directory.resolveSibling(directory.getFileName() + ".beside");
        return new SegmentedLog(segments, other, options, hook, boot, source);
    }

    /** Moves the copy of the other directory to this one if only that copy is usable, and deletes it otherwise. */
    void settle(SegmentedLog other) {
        if (!mark.isUsable() && other.mark.isUsable()) {
            remove();
            try {
                Files.move(other.directory, directory, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        } else {
            other.remove();
        }
    }

    /** Withdraws the mark of the copy, so that no opening uses it. */
    void forget() {
        mark.forget();
    }

    /** Takes what other processes have stored into the copy. */
    NewSegments fresh() {
        return fresh;
    }

    private void catchUp(EventLog log) {
        fresh.takePacked(log);
        List<Long> page;
        do {
            page = segments.firstOffsets(log.tail().offset(), CopyCheck.PAGE);
            for (long first : page) {
                fresh.takeListed(first, () -> segments.read(segments.key(first)), log);
            }
        } while (page.size() == CopyCheck.PAGE);
    }

    private EventFormatException missing(long first, String key) {
        ImageKey base = missingBase;
        String why = base == null
                ? ""
                : ", and so is the base image " + segments.images().uri(GraphImages.Kind.BASE, base)
                        + " that had its events";
        return EventFormatException.damaged(first, segments.uri(key) + " is missing" + why);
    }

    /** Deletes the copy, which is closed. */
    void remove() {
        mark.forget();
        try {
            FileTrees.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
