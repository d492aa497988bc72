package service.projection.retain;

import java.util.Arrays;
import org.agrona.DirectBuffer;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.retain.Retention;

/**
 * Walks the headers of events and finds those with images that are reclaimed but not yet removed. Each batch is one
 * read transaction, and the writer continues. One thread.
 */
public final class StripScan {
    private static final int BATCH_OFFSETS = 4_096;
    private static final int BATCH_EVENTS = 50_000;

    private final EventLog log;
    private final Retention before;
    private final Retention retention;
    private final long last;
    private long next;
    private long commits;
    private long bare;
    private long events;
    private long bytes;

    /**
     * A walk.
     *
     * @param before the marks and pins before this cleanup; {@code retention} itself when they are not known any more,
     *     and then commits without changes are not counted
     * @param from the first offset to read
     */
    public StripScan(EventLog log, Retention before, Retention retention, long from) {
        this.log = log;
        this.before = before;
        this.retention = retention;
        this.next = from;
        this.last = log.tail().offset();
    }

    /** How many of the first bytes of an event stay. */
    public static int stays(EventCodec codec, Retention retention, long offset, DirectBuffer event) {
        boolean loses = !EventCodec.isStripped(event)
                && EventCodec.changeCountOf(event) > 0
                && retention.isReclaimed(codec.decodeHeader(event, offset).incarnation(), offset);
        return loses ? EventCodec.strippedLengthOf(event) : event.capacity();
    }

    /** Whether an event from an offset on has images that are reclaimed but not yet removed. */
    public static boolean finds(EventLog log, Retention retention, long from) {
        StripScan scan = new StripScan(log, retention, retention, from);
        while (scan.hasNext()) {
            if (scan.next().length > 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether there are more events to read. */
    public boolean hasNext() {
        return next <= last;
    }

    /** Reads the next batch; returns the offsets of events to be stripped, possibly none. */
    public long[] next() {
        long[] offsets = new long[BATCH_OFFSETS];
        int[] found = new int[1];
        long end = Math.min(last, next + BATCH_EVENTS - 1);
        try (EventReader reader = log.read()) {
            reader.scan(next, (offset, event) -> {
                if (offset > end || found[0] == BATCH_OFFSETS) {
                    return false;
                }
                next = offset + 1;
                if (!EventCodec.isStripped(event) && count(reader.codec().decodeHeader(event, offset), offset, event)) {
                    offsets[found[0]++] = offset;
                }
                return true;
            });
        }
        return Arrays.copyOf(offsets, found[0]);
    }

    /** Counts a whole event; returns whether it loses its images. */
    private boolean count(Event header, long offset, DirectBuffer event) {
        if (!retention.isReclaimed(header.incarnation(), offset)) {
            return false;
        }
        boolean commit = header instanceof Event.Commit;
        if (EventCodec.changeCountOf(event) == 0) {
            bare += commit && !before.isReclaimed(header.incarnation(), offset) ? 1 : 0;
            return false;
        }
        events++;
        commits += commit ? 1 : 0;
        bytes += event.capacity() - EventCodec.strippedLengthOf(event);
        return true;
    }

    /** Commits found so far that have no images, such as changes of the schema, and whose states are reclaimed now. */
    public long bareCommits() {
        return bare;
    }

    /** Commits with images found so far. */
    public long commits() {
        return commits;
    }

    /** Events found so far, commits among them. */
    public long events() {
        return events;
    }

    /** Bytes of the images found so far. */
    public long bytes() {
        return bytes;
    }
}
