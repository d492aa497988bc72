package service.log.segment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ServiceException;
import service.core.event.Event;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.format.GraphImages;
import service.log.retain.Retention;

/**
 * The images of a log in a bucket, made of its copy on this machine. The newest two checkpoints stay, and those before
 * them for the reclaim delay.
 *
 * <p>The copy only has events whose segments are stored, so each of its images is part of the history. The marks of a
 * cleanup are among the events. A copy that has not yet deleted what they take does not become an image, because the
 * bucket would have it again.
 */
final class BucketImages implements GraphImages {
    private static final Logger LOG = LoggerFactory.getLogger(BucketImages.class);
    private static final int CHECKPOINTS_KEPT = 2;

    /**
     * When a checkpoint is due.
     *
     * @param bytes of events since the last one
     * @param age of the last one, when there were events since
     * @param kept how long objects stay beside a base image that replaces them
     */
    record Limits(long bytes, Duration age, Duration kept) {
        /** @param kept how long objects stay beside a base image that replaces them */
        static Limits keeping(Duration kept) {
            return new Limits(256L << 20, Duration.ofMinutes(15), kept);
        }
    }

    /**
     * The clocks of images.
     *
     * @param millis since 1970
     * @param monotonicMillis milliseconds of a clock that is never set back, such as that of {@link System#nanoTime}
     */
    record Clocks(LongSupplier millis, LongSupplier monotonicMillis) {
        static final Clocks MACHINE =
                new Clocks(System::currentTimeMillis, () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    private final SegmentStore segments;
    private final ImageStore images;
    private final EventLog log;
    private final CopyOrigin origin;
    private final Limits limits;
    private final LongSupplier clockMillis;
    private final LongSupplier monotonicMillis;

    /**
     * Checkpoints that later ones have replaced or a rebuild has discarded, and when this process has seen that. Under
     * itself.
     */
    private final Map<ImageKey, Long> replaced = new HashMap<>();

    /** Writer thread, and the thread that makes images. */
    private volatile long imaged;

    private volatile long imagedNanos;

    /** Thread of the cleanup. */
    private final BaseSweep sweep;

    /** What the base image of the copy has reclaimed. */
    private volatile Retention inBase;

    /** Whether objects may be left of an earlier cleanup. Thread of the cleanup. */
    private boolean mayBeLeft = true;

    /** Writer thread. */
    private long counted;

    private long bytes;

    private final WorkLease lease;

    /**
     * Makes none yet.
     *
     * @param log the copy, which has just been opened or created
     * @param lease of the background work
     */
    BucketImages(SegmentStore segments, EventLog log, Limits limits, Clocks clocks, WorkLease lease) {
        this.lease = lease;
        this.segments = segments;
        this.images = segments.images();
        this.log = log;
        this.origin = new CopyOrigin(log.directory());
        this.sweep = new BaseSweep(segments, log, limits.kept().toMillis(), clocks.monotonicMillis());
        this.limits = limits;
        this.clockMillis = clocks.millis();
        this.monotonicMillis = clocks.monotonicMillis();
        this.imaged = log.tail().offset();
        this.imagedNanos = System.nanoTime();
        this.counted = imaged;
        CopyOrigin.Base base = origin.read();
        this.inBase = base == null ? Retention.NONE : base.retention();
    }

    @Override
    public boolean isDue() {
        long tail = log.tail().offset();
        long since = imaged;
        if (tail <= since) {
            return false;
        }
        if (counted <= since) {
            counted = since;
            bytes = 0;
        }
        try (EventReader reader = log.read()) {
            while (counted < tail) {
                bytes += reader.bytes(++counted).capacity();
            }
        }
        return bytes >= limits.bytes()
                || System.nanoTime() - imagedNanos >= limits.age().toNanos();
    }

    @Override
    public boolean isOurTurn() {
        if (lease.take()) {
            return true;
        }
        imaged = log.tail().offset();
        imagedNanos = System.nanoTime();
        return false;
    }

    @Override
    public boolean isOutdated() {
        List<ImageKey> all = images.list(Kind.CHECKPOINT);
        ImageKey base = images.newestBase();
        long newest = Math.max(all.isEmpty() ? -1 : all.getLast().offset(), base == null ? -1 : base.offset());
        return newest < log.tail().offset();
    }

    @Override
    public boolean isBaseOutdated() {
        return !inBase.takesTheSameAs(log.retention());
    }

    @Override
    public boolean isBaseUpToUs() {
        return isBaseOutdated() && (!takesOverNewestBase() || isBaseOutdated()) && lease.take();
    }

    /**
     * Makes the newest base image that of this copy, when the copy has its events: the marks of a cleanup are among
     * them. It has all that this cleanup has left unless a later event has further marks.
     *
     * @return whether the newest base image is that of this copy
     */
    private boolean takesOverNewestBase() {
        ImageKey newest = images.newestBase();
        if (Objects.equals(newest, origin.key())) {
            return true;
        }
        if (newest == null || newest.offset() > log.tail().offset()) {
            return false;
        }
        Retention kept = log.retention();
        boolean hasAll = !isMarkedAfter(newest.offset());
        origin.write(new CopyOrigin.Base(newest, clockMillis.getAsLong() * 1_000, hasAll ? kept : inBase));
        if (hasAll) {
            inBase = kept;
        }
        mayBeLeft = true;
        return true;
    }

    private boolean isMarkedAfter(long offset) {
        boolean[] found = new boolean[1];
        try (EventReader reader = log.read()) {
            reader.scan(offset + 1, (at, event) -> {
                found[0] = reader.codec().decodeHeader(event, at) instanceof Event.HistoryReclaimed;
                return !found[0];
            });
        }
        return found[0];
    }

    @Override
    public void dropCheckpoints() {
        images.discard(Kind.CHECKPOINT, images.list(Kind.CHECKPOINT));
    }

    @Override
    public void sweep() {
        deleteReplaced();
        CopyOrigin.Base base = origin.read();
        if (base == null || isBaseOutdated()) {
            return;
        }
        boolean isDue = mayBeLeft && sweep.isOld(base.key(), clockMillis.getAsLong() - base.madeMicros() / 1_000);
        if (!isDue || !lease.take()) {
            return;
        }
        requireOwnGraph();
        if (!takesOverNewestBase() || !base.key().equals(origin.key())) {
            return;
        }
        sweep.run(base.key());
        mayBeLeft = false;
    }

    @Override
    public Runnable spool(Kind kind, Path tables, Retention.Base name) {
        long madeMicros = clockMillis.getAsLong() * 1_000;
        ImageFile file = ImageFile.make(log, new ImageFile.Tables(tables, name), origin.key(), madeMicros);
        imaged = file.key().offset();
        imagedNanos = System.nanoTime();
        Retention kept = file.retention();
        if (kept.phase() != Retention.Phase.DONE || (kind == Kind.CHECKPOINT && !inBase.takesTheSameAs(kept))) {
            // A cleanup has begun. Its base image comes soon; this would belong to neither.
            file.close();
            return () -> {};
        }
        return () -> {
            try (file) {
                if (!isNeeded(kind)) {
                    return;
                }
                images.createSettled(kind, file);
                LOG.debug("{}: made with {} bytes", images.uri(kind, file.key()), file.length());
            }
            if (kind == Kind.BASE) {
                origin.write(new CopyOrigin.Base(file.key(), madeMicros, kept));
                inBase = kept;
                mayBeLeft = true;
                sweep();
            } else {
                replaceCheckpoints(file.key());
            }
        };
    }

    /** Whether an image that was made of the copy is still of the newest history, and not made by another process. */
    private boolean isNeeded(Kind kind) {
        requireOwnGraph();
        ImageKey before = origin.key();
        if (!takesOverNewestBase()) {
            throw ServiceException.conflict(segments.location()
                    + ": another process has made a base image with events that this one does not have yet; the next"
                    + " run continues");
        }
        return Objects.equals(before, origin.key()) || (kind == Kind.BASE && isBaseOutdated());
    }

    private void requireOwnGraph() {
        if (!isOwnGraph()) {
            throw ServiceException.conflict(
                    segments.location() + ": the graph was deleted or replaced; restart this process");
        }
    }

    private boolean isOwnGraph() {
        try (@Nullable InputStream first = segments.read(segments.key(0))) {
            return first != null && SegmentHeader.read(first).graph().equals(log.graph());
        } catch (IOException noSegment) {
            return false;
        }
    }

    /** Those after the newest one belong to a history that this process does not have, and are left alone. */
    private void replaceCheckpoints(ImageKey newest) {
        ImageStore.Listed listed = images.listAll(Kind.CHECKPOINT);
        List<ImageKey> older = listed.usable();
        older.removeIf(image -> image.offset() > newest.offset());
        long now = monotonicMillis.getAsLong();
        synchronized (replaced) {
            List<ImageKey> all = new ArrayList<>(older.subList(0, Math.max(0, older.size() - CHECKPOINTS_KEPT)));
            listed.stored().stream().filter(listed.discarded()::contains).forEach(all::add);
            replaced.keySet().retainAll(all);
            all.forEach(image -> replaced.putIfAbsent(image, now));
        }
        deleteReplaced();
    }

    private void deleteReplaced() {
        long until = monotonicMillis.getAsLong() - limits.kept().toMillis();
        synchronized (replaced) {
            List<ImageKey> old = replaced.entrySet().stream()
                    .filter(entry -> entry.getValue() <= until)
                    .map(Map.Entry::getKey)
                    .toList();
            images.delete(Kind.CHECKPOINT, old);
            replaced.keySet().removeAll(old);
        }
    }
}
