package service.log.segment;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;

/**
 * Finds and reads the packed objects of a log. A packed object counts before a segment of the same offsets, because a
 * writer that was overtaken long ago can still create a segment whose place is free again. One thread.
 */
final class PackedSegments {
    private static final int PAGE = 1_000;

    /** Events of a packed object at most, so that the one with an event is found in one list. */
    static final int EVENTS_MAX = 65_536;

    private final SegmentStore segments;
    private List<PackedRange> page = List.of();

    PackedSegments(SegmentStore segments) {
        this.segments = segments;
    }

    /** The packed object with an event, the one that reaches furthest; null when there is none. */
    @Nullable
    PackedRange covering(long offset) {
        PackedRange known = furthest(page, offset);
        if (known != null) {
            return known;
        }
        PackedRange found = null;
        long from = Math.max(0, offset - EVENTS_MAX);
        do {
            page = segments.packedFrom(from, PAGE);
            PackedRange here = furthest(page, offset);
            found = found == null || (here != null && here.last() > found.last()) ? here : found;
            from = page.isEmpty() ? from : page.getLast().first() + 1;
        } while (page.size() == PAGE && from <= offset);
        return found;
    }

    /** The packed objects with an event or with later ones, ascending by their first offsets. */
    List<PackedRange> from(long offset) {
        List<PackedRange> all = new ArrayList<>();
        List<PackedRange> next;
        do {
            next = segments.packedFrom(
                    all.isEmpty()
                            ? Math.max(0, offset - EVENTS_MAX)
                            : all.getLast().first() + 1,
                    PAGE);
            all.addAll(next);
        } while (next.size() == PAGE);
        all.removeIf(range -> range.last() < offset);
        return all;
    }

    private static @Nullable PackedRange furthest(List<PackedRange> ranges, long offset) {
        PackedRange found = null;
        for (PackedRange range : ranges) {
            if (range.covers(offset) && (found == null || range.last() > found.last())) {
                found = range;
            }
        }
        return found;
    }

    /** Whether an event of a packed object has a hash. Reads the object up to this event. */
    boolean has(PackedRange packed, long offset, byte[] hash) throws IOException {
        try (InputStream stored = require(packed);
                SegmentReader reader = new SegmentReader(stored)) {
            long at = reader.header().first();
            for (DirectBuffer event = reader.next(); event != null; event = reader.next()) {
                if (at++ == offset) {
                    return Arrays.equals(EventCodec.hashOf(event), hash);
                }
            }
            return false;
        }
    }

    /** Begins to read a packed object. */
    InputStream require(PackedRange packed) {
        InputStream stored = segments.read(segments.key(packed));
        if (stored == null) {
            throw EventFormatException.damaged(packed.first(), segments.uri(segments.key(packed)) + " is missing");
        }
        return stored;
    }
}
