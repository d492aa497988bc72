package service.log.segment;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import service.core.event.EventFormatException;
import service.core.value.Ulid;

/** Compares the end of a copy with the stored segments. One thread. */
final class CopyCheck {
    /** Segments that one request lists. */
    static final int PAGE = 1_000;

    /** A group has at most 256 commands of two events each, so its segment begins within this distance. */
    private static final long NEAR = 512;

    private final SegmentStore segments;
    private final PackedSegments packed;
    private final BiFunction<Long, String, EventFormatException> missing;

    /** @param missing makes the failure for a segment that is not there, from its first offset and its key */
    CopyCheck(SegmentStore segments, PackedSegments packed, BiFunction<Long, String, EventFormatException> missing) {
        this.segments = segments;
        this.packed = packed;
        this.missing = missing;
    }

    /**
     * Whether an event is the last one of a stored segment, is in a packed object, or is the one before a segment.
     *
     * @param hash of the event
     */
    boolean isContinued(Ulid graph, long offset, byte[] hash) {
        if (endsASegment(graph, offset, hash)) {
            return true;
        }
        PackedRange range = packed.covering(offset);
        try {
            return range == null ? isBeforeASegment(graph, offset, hash) : packed.has(range, offset, hash);
        } catch (IOException e) {
            throw SegmentIntake.damage(
                    range == null ? offset + 1 : range.first(),
                    segments.uri(range == null ? segments.key(offset + 1) : segments.key(range)),
                    e);
        }
    }

    private boolean endsASegment(Ulid graph, long offset, byte[] hash) {
        long first = lastFirstUpTo(segments, offset);
        if (first < 0) {
            return false;
        }
        String key = segments.key(first);
        try (InputStream stored = segments.read(key)) {
            if (stored == null) {
                throw missing.apply(first, key);
            }
            SegmentHeader header = SegmentHeader.read(stored);
            return header.graph().equals(graph) && header.last() == offset && Arrays.equals(header.hash(), hash);
        } catch (IOException e) {
            throw SegmentIntake.damage(first, segments.uri(key), e);
        }
    }

    /** Cleanup deletes the segments up to its base image. */
    private boolean isBeforeASegment(Ulid graph, long offset, byte[] hash) throws IOException {
        PackedRange next = packed.covering(offset + 1);
        String key = next == null ? segments.key(offset + 1) : segments.key(next);
        try (InputStream stored = segments.read(key)) {
            if (stored == null) {
                return false;
            }
            SegmentHeader header = SegmentHeader.read(stored);
            return header.first() == offset + 1
                    && header.graph().equals(graph)
                    && Arrays.equals(header.hashBefore(), hash);
        }
    }

    /** The greatest first offset of a segment that is not above an offset; −1 when there is none. */
    static long lastFirstUpTo(SegmentStore segments, long offset) {
        for (long distance = NEAR; ; distance *= NEAR) {
            long found = -1;
            long after = Math.max(-1, offset - distance);
            List<Long> page;
            do {
                page = segments.firstOffsets(after, PAGE);
                for (long first : page) {
                    after = first;
                    found = first <= offset ? first : found;
                }
            } while (page.size() == PAGE && after < offset);
            if (found >= 0 || distance > offset) {
                return found;
            }
        }
    }
}
