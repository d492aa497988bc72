package service.log.segment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.log.format.EventLog;
import service.log.format.EventReader;

/**
 * Packs small segments of a bucket into large ones: creates the packed object from the copy on this machine, reads it
 * back, and some minutes later deletes the segments that it covers. When the process dies between any two requests, the
 * bucket has each event at least once, and the next run continues.
 *
 * <p>Two segments are never packed: that of offset 0, which says that the graph exists, and the newest one, so that a
 * list of the segments behind any older offset is never empty.
 *
 * <p>One thread. The writer may write meanwhile.
 */
final class Packing {
    private static final Logger LOG = LoggerFactory.getLogger(Packing.class);
    private static final int PAGE = 1_000;

    /**
     * What a packed object has at most.
     *
     * @param segments number of segments of a packed object, unless their bytes are too many
     * @param bytesMax bytes of its events, not compressed; a larger segment is left as it is
     * @param keepMillis how long the segments stay beside a packed object that has been read back
     */
    record Limits(int segments, long bytesMax, long keepMillis) {
        static final Limits DEFAULT = new Limits(1_000, 63L << 20, 600_000);
    }

    private final SegmentStore segments;
    private final EventLog log;
    private final Limits limits;
    private final LongSupplier clockMillis;
    private final PackedSegments packed;

    /** When this process has read a packed object back. */
    private final Map<PackedRange, Long> verified = new HashMap<>();

    Packing(SegmentStore segments, EventLog log, Limits limits, LongSupplier clockMillis) {
        this.segments = segments;
        this.log = log;
        this.limits = limits;
        this.clockMillis = clockMillis;
        this.packed = new PackedSegments(segments);
    }

    int segmentsEach() {
        return limits.segments();
    }

    /**
     * Packs what is complete and deletes what may be deleted.
     *
     * @return milliseconds until more may be deleted; −1 when there is nothing to wait for
     * @throws UncheckedIOException when the store fails or a packed object is damaged; nothing is lost
     */
    long run() {
        List<Long> small = smallSegments();
        int covered = 0;
        long wait = -1;
        Map<PackedRange, Long> used = new HashMap<>();
        while (covered < small.size() - 1) {
            PackedRange range = packed.covering(small.get(covered));
            if (range == null) {
                break;
            }
            long since = verifiedAt(range);
            used.put(range, since);
            long left = since + limits.keepMillis() - clockMillis.getAsLong();
            for (; covered < small.size() - 1 && small.get(covered) <= range.last(); covered++) {
                if (left <= 0) {
                    segments.delete(small.get(covered));
                }
            }
            wait = left <= 0 ? wait : wait < 0 ? left : Math.min(wait, left);
        }
        verified.keySet().retainAll(used.keySet());
        boolean made = pack(small.subList(covered, small.size()));
        return made && wait < 0 ? limits.keepMillis() : wait;
    }

    /** The first offsets of all segments but the one of offset 0. */
    private List<Long> smallSegments() {
        List<Long> all = new ArrayList<>();
        List<Long> page;
        long last = log.tail().offset();
        do {
            page = segments.firstOffsets(all.isEmpty() ? 0 : all.getLast(), PAGE);
            page.stream().filter(first -> first <= last).forEach(all::add);
        } while (page.size() == PAGE && page.getLast() <= last);
        return all;
    }

    private long verifiedAt(PackedRange range) {
        Long known = verified.get(range);
        if (known != null) {
            return known;
        }
        verify(range);
        long now = clockMillis.getAsLong();
        verified.put(range, now);
        return now;
    }

    /** Packs each complete run of segments; the last segment of the list is the newest one and stays. */
    private boolean pack(List<Long> small) {
        boolean made = false;
        int from = 0;
        long bytes = 0;
        try (EventReader reader = log.read()) {
            for (int i = 0; i + 1 < small.size(); i++) {
                long size = bytes(reader, small.get(i), small.get(i + 1));
                boolean tooMany = small.get(i + 1) - small.get(from) > PackedSegments.EVENTS_MAX;
                if (tooMany || bytes + size > limits.bytesMax()) {
                    made |= make(reader, small, from, i);
                    from = i;
                    bytes = 0;
                }
                bytes += size;
                if (i + 1 - from == limits.segments()) {
                    made |= make(reader, small, from, i + 1);
                    from = i + 1;
                    bytes = 0;
                }
            }
        }
        return made;
    }

    private static long bytes(EventReader reader, long first, long next) {
        long bytes = 0;
        for (long offset = first; offset < next; offset++) {
            bytes += reader.bytes(offset).capacity();
        }
        return bytes;
    }

    private boolean make(EventReader reader, List<Long> small, int from, int to) {
        if (to - from < 2) {
            return false;
        }
        long first = small.get(from);
        long last = small.get(to) - 1;
        PackedRange range = new PackedRange(first, last);
        byte[] before = EventCodec.hashOf(reader.bytes(first - 1));
        SegmentHeader header = new SegmentHeader(
                log.graph(),
                first,
                last,
                before,
                EventCodec.hashOf(reader.bytes(last)),
                bytes(reader, first, last + 1),
                new byte[0]);
        try (Segment object = Segment.write(header, () -> log.directory().resolve("packed.put"), events -> {
            for (long offset = first; offset <= last; offset++) {
                DirectBuffer event = reader.bytes(offset);
                events.take(event, 0, event.capacity());
            }
        })) {
            segments.createPacked(object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        verify(range);
        verified.put(range, clockMillis.getAsLong());
        LOG.debug("{}: packed {} segments, events {} to {}", segments.location(), to - from, first, last);
        return true;
    }

    /** Reads a packed object to its end and compares it with the copy. */
    private void verify(PackedRange range) {
        try (InputStream stored = packed.require(range);
                SegmentReader object = new SegmentReader(stored);
                EventReader own = log.read()) {
            SegmentHeader header = object.header();
            if (!header.graph().equals(log.graph())
                    || header.first() != range.first()
                    || header.last() != range.last()) {
                throw new Segment.Damage("its header");
            }
            long offset = range.first();
            byte[] hash = EventCodec.hashOf(own.bytes(offset - 1));
            if (!Arrays.equals(header.hashBefore(), hash)) {
                throw new Segment.Damage("it does not follow the event before it");
            }
            for (DirectBuffer event = object.next(); event != null; event = object.next()) {
                hash = own.codec().verify(event, offset++, hash);
            }
            object.finish();
            if (offset != range.last() + 1
                    || !Arrays.equals(hash, header.hash())
                    || !Arrays.equals(hash, EventCodec.hashOf(own.bytes(range.last())))) {
                throw new Segment.Damage("its last event");
            }
        } catch (IOException | EventFormatException e) {
            throw new UncheckedIOException(
                    segments.uri(segments.key(range)) + ": " + e.getMessage(), new IOException(e));
        }
    }
}
