package service.log.segment;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.event.EventFormatException;
import service.log.format.EventLog;
import service.log.format.GraphImages.Kind;

/**
 * Deletes what the newest base image has made superfluous, some time after the image was made. When the process dies
 * between any two requests, the graph opens from the base image, and the next run deletes the rest.
 *
 * <p>The segment of offset 0 stays, because it says that the graph exists, and so does the newest one, because a list
 * of the segments after an older offset must not be empty: it stops a writer that was overtaken long ago. One that was
 * overtaken a short time ago asks for no list; the segments that stop it stay for the reclaim delay.
 *
 * <p>One thread; the writer may write meanwhile.
 */
final class BaseSweep {
    private static final Logger LOG = LoggerFactory.getLogger(BaseSweep.class);
    private static final int PAGE = 1_000;

    private final SegmentStore segments;
    private final EventLog log;
    private final long keepMillis;
    private final LongSupplier monotonicMillis;

    /** The base image that this process has seen last, and when it has seen it first. */
    private @Nullable ImageKey seen;

    private long seenMillis;

    /** The base image that this has read back. */
    private @Nullable ImageKey verified;

    /**
     * Deletes nothing yet.
     *
     * @param keepMillis how long objects stay beside a base image that replaces them
     * @param monotonicMillis milliseconds of a clock that is never set back, such as that of {@link System#nanoTime}
     */
    BaseSweep(SegmentStore segments, EventLog log, long keepMillis, LongSupplier monotonicMillis) {
        this.segments = segments;
        this.log = log;
        this.keepMillis = keepMillis;
        this.monotonicMillis = monotonicMillis;
    }

    /**
     * Whether a base image is old enough that what it replaces may be deleted: this process has known it for that time,
     * or it is twice as old by the clocks of its maker and of this machine.
     *
     * @param ageMillis by these clocks
     */
    boolean isOld(ImageKey base, long ageMillis) {
        long now = monotonicMillis.getAsLong();
        if (!base.equals(seen)) {
            seen = base;
            seenMillis = now;
        }
        return now - seenMillis >= keepMillis || ageMillis >= 2 * keepMillis;
    }

    /**
     * Deletes older images, and the segments and packed objects whose events the base image has. If there are any, the
     * base image is read back first.
     *
     * @throws EventFormatException when the base image is damaged; nothing is deleted then
     */
    void run(ImageKey base) {
        ImageStore images = segments.images();
        List<ImageKey> bases = images.list(Kind.BASE).stream()
                .filter(image -> image.offset() <= base.offset() && !image.equals(base))
                .toList();
        List<ImageKey> checkpoints = images.listAll(Kind.CHECKPOINT).stored().stream()
                .filter(image -> image.offset() <= base.offset())
                .toList();
        List<PackedRange> packed = new PackedSegments(segments)
                .from(0).stream().filter(range -> range.last() <= base.offset()).toList();
        if (!(bases.isEmpty()
                && checkpoints.isEmpty()
                && packed.isEmpty()
                && covered(0, base).isEmpty())) {
            requireSound(base);
        }
        images.delete(Kind.BASE, bases);
        images.delete(Kind.CHECKPOINT, checkpoints);
        segments.deletePacked(packed);
        int deleted = deleteSegments(base);
        deleteBlobs(base);
        LOG.debug(
                "{}: deleted {} segments and {} packed objects up to event {}",
                segments.location(),
                deleted,
                packed.size(),
                base.offset());
    }

    private void requireSound(ImageKey base) {
        if (!base.equals(verified)) {
            String digest = segments.images().digest(Kind.BASE, base);
            if (!base.digest().equals(digest)) {
                throw EventFormatException.damaged(
                        base.offset(),
                        segments.images().uri(Kind.BASE, base)
                                + ": its bytes do not have the digest in its name; no object was deleted for it");
            }
            verified = base;
        }
    }

    /** The next segments after an offset whose events the base image has, but for the newest segment of the log. */
    private List<Long> covered(long after, ImageKey base) {
        List<Long> page = segments.firstOffsets(after, PAGE);
        List<Long> covered = new ArrayList<>();
        for (int i = 0; i + 1 < page.size() && page.get(i + 1) <= base.offset() + 1; i++) {
            covered.add(page.get(i));
        }
        return covered;
    }

    private int deleteSegments(ImageKey base) {
        int deleted = 0;
        List<Long> covered = covered(0, base);
        while (!covered.isEmpty()) {
            segments.deleteSegments(covered);
            deleted += covered.size();
            covered = covered(covered.getLast(), base);
        }
        return deleted;
    }

    /**
     * Deletes the blobs of the generations before that of the base image. Events after the image are of this generation
     * or a later one, because the log has its place once; the events before it and their blobs are in the image.
     */
    private void deleteBlobs(ImageKey base) {
        long generation = log.tail().generation();
        if (generation <= base.offset()) {
            segments.deleteBlobsBefore(generation, () -> requireSound(base));
        }
    }
}
