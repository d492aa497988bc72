package service.log.segment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
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
 * list of the segments after any older offset is never empty.
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
        static final int SEGMENTS = 1_000;

        /** @param kept how long the segments stay */
        static Limits keeping(Duration kept, int segments) {
            return new Limits(segments, 63L << 20, kept.toMillis());
        }
    }

    private final SegmentStore segments;
    private final EventLog log;
    private final Limits limits;
    private final LongSupplier clockMillis;
    private final PackedSegments packed;

    /** When this process has read a packed object back. */
    private final Map<PackedRange, Long> verified = new HashMap<>();

    /** @param clockMillis milliseconds of a clock that is never set back, such as that of {@link System#nanoTime} */
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
        List<PackedRange> ranges = small.isEmpty() ? List.of() : packed.from(small.getFirst());
        verified.keySet().retainAll(ranges);
        List<PackedRange> loose = new ArrayList<>();
        PackedRange reach = new PackedRange(0, 0);
        int at = 0;
        long wait = -1;
        List<Long> covered = new ArrayList<>();
        ImageKey base = new CopyOrigin(log.directory()).key();
        // A segment that the base image replaces is deleted by the next cleanup.
        long based = base == null ? -1 : base.offset();
        for (int i = 0; i + 1 < small.size(); i++) {
            long first = small.get(i);
            for (; at < ranges.size() && ranges.get(at).first() <= first; at++) {
                reach = ranges.get(at).last() > reach.last() ? ranges.get(at) : reach;
            }
            if (reach.covers(first)) {
                long left = verifiedAt(reach) + limits.keepMillis() - clockMillis.getAsLong();
                if (left <= 0) {
                    covered.add(first);
                } else {
                    wait = wait < 0 ? left : Math.min(wait, left);
                }
            } else {
                long next = at < ranges.size()
                        ? Math.min(small.get(i + 1), ranges.get(at).first())
                        : small.get(i + 1);
                if (next - 1 > based) {
                    loose.add(new PackedRange(first, next - 1));
                }
            }
        }
        segments.deleteSegments(covered);
        boolean made = pack(loose);
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

    /**
     * Packs each complete run of segments.
     *
     * @param loose the events of each segment that is in no packed object, ascending, without the newest segment
     */
    private boolean pack(List<PackedRange> loose) {
        List<PackedRange> runs = new ArrayList<>();
        try (EventReader reader = log.read()) {
            int from = 0;
            long bytes = 0;
            for (int i = 0; i < loose.size(); i++) {
                PackedRange segment = loose.get(i);
                long size = bytes(reader, segment);
                boolean apart = i > from && segment.first() != loose.get(i - 1).last() + 1;
                boolean tooMany = segment.last() - loose.get(from).first() >= PackedSegments.EVENTS_MAX;
                if (apart || tooMany || bytes + size > limits.bytesMax()) {
                    if (i - from > 1 && !apart) {
                        runs.add(new PackedRange(loose.get(from).first(), segment.first() - 1));
                    }
                    from = i;
                    bytes = 0;
                }
                bytes += size;
                if (i + 1 - from == limits.segments()) {
                    runs.add(new PackedRange(loose.get(from).first(), segment.last()));
                    from = i + 1;
                    bytes = 0;
                }
                if (from == loose.size()) {
                    break;
                }
            }
        }
        runs.forEach(this::make);
        return !runs.isEmpty();
    }

    private static long bytes(EventReader reader, PackedRange events) {
        long bytes = 0;
        for (long offset = events.first(); offset <= events.last(); offset++) {
            bytes += reader.bytes(offset).capacity();
        }
        return bytes;
    }

    private void make(PackedRange range) {
        try (@Nullable Segment object = object(range)) {
            if (object == null) {
                return;
            }
            segments.createPacked(object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        verify(range);
        verified.put(range, clockMillis.getAsLong());
        LOG.debug("{}: packed events {} to {}", segments.location(), range.first(), range.last());
    }

    /** No read of the copy is open during a request, because the map of the copy could not grow meanwhile. */
    private @Nullable Segment object(PackedRange range) throws IOException {
        try (EventReader reader = log.read()) {
            for (long offset = range.first(); offset <= range.last(); offset++) {
                if (EventCodec.isStripped(reader.bytes(offset))) {
                    // The base image of this cleanup will have the events, and their segments will be deleted.
                    return null;
                }
            }
            SegmentHeader header = new SegmentHeader(
                    log.graph(),
                    range.first(),
                    range.last(),
                    EventCodec.hashOf(reader.bytes(range.first() - 1)),
                    EventCodec.hashOf(reader.bytes(range.last())),
                    bytes(reader, range),
                    new byte[0]);
            return Segment.write(header, () -> log.directory().resolve("packed.put"), events -> {
                for (long offset = range.first(); offset <= range.last(); offset++) {
                    DirectBuffer event = reader.bytes(offset);
                    events.take(event, 0, event.capacity());
                }
            });
        }
    }

    private byte[] hash(long offset) {
        try (EventReader reader = log.read()) {
            return EventCodec.hashOf(reader.bytes(offset));
        }
    }

    /** Reads a packed object to its end and compares it with the copy. */
    private void verify(PackedRange range) {
        byte[] hash = hash(range.first() - 1);
        byte[] last = hash(range.last());
        EventCodec codec = new EventCodec();
        try (InputStream stored = packed.require(range);
                SegmentReader object = new SegmentReader(stored)) {
            SegmentHeader header = object.header();
            if (!header.graph().equals(log.graph())
                    || header.first() != range.first()
                    || header.last() != range.last()) {
                throw new Segment.Damage("its header");
            }
            long offset = range.first();
            if (!Arrays.equals(header.hashBefore(), hash)) {
                throw new Segment.Damage("it does not follow the event before it");
            }
            for (DirectBuffer event = object.next(); event != null; event = object.next()) {
                hash = codec.verify(event, offset++, hash);
            }
            object.finish();
            if (offset != range.last() + 1 || !Arrays.equals(hash, header.hash()) || !Arrays.equals(hash, last)) {
                throw new Segment.Damage("its last event");
            }
        } catch (IOException | EventFormatException e) {
            throw new UncheckedIOException(
                    segments.uri(segments.key(range)) + ": " + e.getMessage(), new IOException(e));
        }
    }
}
