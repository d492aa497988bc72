package service.log.segment;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.port.ObjectStoreException;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.format.GraphImages;
import service.log.object.Backoff;
import service.log.retain.Retention;

/**
 * The images of a log in a bucket, made of its copy on this machine. The newest two checkpoints stay.
 *
 * <p>The copy only has events whose segments are stored, so an image of a writer that was overtaken is still part of
 * the history. A copy from before another process's cleanup must not become an image, because it has what was
 * reclaimed: before each creation the newest base image is compared with the one that the copy came from.
 */
final class BucketImages implements GraphImages {
    private static final Logger LOG = LoggerFactory.getLogger(BucketImages.class);
    private static final int CHECKPOINTS_KEPT = 2;
    private static final int ATTEMPTS = 6;

    /**
     * When a checkpoint is due.
     *
     * @param bytes of events since the last one
     * @param age of the last one, when there were events since
     */
    record Limits(long bytes, Duration age) {
        static final Limits DEFAULT = new Limits(256L << 20, Duration.ofMinutes(15));
    }

    private final SegmentStore segments;
    private final ImageStore images;
    private final EventLog log;
    private final CopyOrigin origin;
    private final ReclaimedBlobs reclaimed;
    private final Limits limits;
    private final LongSupplier clockMillis;

    /** Writer thread, and the thread that makes images. */
    private volatile long imaged;

    private volatile long imagedNanos;

    /** Writer thread. */
    private long counted;

    private long bytes;

    /** @param log the copy, which has just been opened or created */
    BucketImages(SegmentStore segments, EventLog log, Limits limits, LongSupplier clockMillis) {
        this.segments = segments;
        this.images = segments.images();
        this.log = log;
        this.origin = new CopyOrigin(log.directory());
        this.reclaimed = new ReclaimedBlobs(log.directory());
        this.limits = limits;
        this.clockMillis = clockMillis;
        this.imaged = log.tail().offset();
        this.imagedNanos = System.nanoTime();
        this.counted = imaged;
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
    public boolean isBehind() {
        List<ImageKey> all = images.list(Kind.CHECKPOINT);
        ImageKey base = images.newestBase();
        long newest = Math.max(all.isEmpty() ? -1 : all.getLast().offset(), base == null ? -1 : base.offset());
        return newest < log.tail().offset();
    }

    @Override
    public Runnable spool(Kind kind, Path tables, Retention.Base name) {
        long madeMicros = clockMillis.getAsLong() * 1_000;
        ImageFile file = ImageFile.make(log, new ImageFile.Tables(tables, name), origin.key(), reclaimed, madeMicros);
        imaged = file.key().offset();
        imagedNanos = System.nanoTime();
        return () -> {
            try (file) {
                create(kind, file);
            }
            replaceCheckpoints(file.key());
        };
    }

    private void create(Kind kind, ImageFile file) {
        requireOwnHistory();
        Backoff backoff = new Backoff(ThreadLocalRandom.current());
        for (int attempt = 1; ; attempt++) {
            try {
                images.create(kind, file.key(), file);
                LOG.debug("{}: made with {} bytes", images.uri(kind, file.key()), file.length());
                return;
            } catch (ObjectStoreException e) {
                if (!e.mayPass() || attempt == ATTEMPTS) {
                    throw e;
                }
                pause(backoff, e);
            }
        }
    }

    private static void pause(Backoff backoff, ObjectStoreException failure) {
        try {
            Thread.sleep(backoff.nextMillis(failure.retryAfter()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }

    private void requireOwnHistory() {
        if (!Objects.equals(images.newestBase(), origin.key())) {
            throw new IllegalStateException(
                    segments.location() + ": another process has reclaimed history; restart this one");
        }
    }

    /** Those behind the newest one belong to a history that this process does not have, and are left alone. */
    private void replaceCheckpoints(ImageKey newest) {
        List<ImageKey> older = new ArrayList<>(images.list(Kind.CHECKPOINT));
        older.removeIf(image -> image.offset() > newest.offset());
        images.delete(Kind.CHECKPOINT, older.subList(0, Math.max(0, older.size() - CHECKPOINTS_KEPT)));
    }
}
