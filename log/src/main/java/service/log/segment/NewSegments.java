package service.log.segment;

import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.event.EventFormatException;
import service.log.format.EventLog;
import service.log.segment.LastLook.Moment;

/**
 * Takes the events that other processes have stored into a copy: those after its end. A server that writes and one that
 * only reads use the same code. The next segment has the next offset as its key, so a look is one GET while the last
 * one is recent: if there is no object, the log ends here. An older look proves nothing of a free key, because its
 * segment may be packed and deleted; then, and after the second new segment, a look is one list, and a request for each
 * new segment, several of them at a time.
 *
 * <p>One thread at a time; {@link #hasNew} on any thread.
 */
final class NewSegments {
    private static final int PAGE = 1_000;

    /** Segments that are taken one after the other before a list. */
    private static final int BY_KEY_MAX = 2;

    private final SegmentStore segments;
    private final PackedSegments packed;
    private final BiFunction<Long, String, EventFormatException> missing;

    /**
     * When it was last known that no packed object has the next event. A segment whose events are packed is deleted
     * later, and its place is free then: a writer that was overtaken long ago can create it again, and that segment
     * must not be taken. So a segment is taken without a list of the packed objects only when there was none a short
     * time ago.
     */
    private final LastLook unpacked;

    /** When the log was last known to end where the copy ends. */
    private final LastLook end;

    /** The first offset of the newest segment that the copy has; −1 when it is not known. */
    private long newest = -1;

    /** How many segments of other processes were taken. */
    private long taken;

    /** @param missing makes the failure for a segment that is not there, from its first offset and its key */
    NewSegments(SegmentStore segments, PackedSegments packed, BiFunction<Long, String, EventFormatException> missing) {
        this.segments = segments;
        this.packed = packed;
        this.missing = missing;
        this.unpacked = new LastLook(segments);
        this.end = new LastLook(segments);
    }

    /** For a log that no cleanup has shortened. */
    NewSegments(SegmentStore segments) {
        this(
                segments,
                new PackedSegments(segments),
                (first, key) -> EventFormatException.damaged(first, segments.uri(key) + " is missing"));
    }

    /**
     * Appends new events to the copy. Events that were appended before a failure stay in it.
     *
     * @param most about how long to work; at least one segment is taken if there is any
     * @return the last offset that is known to be stored, at least the last one of the copy; if they are equal, the
     *     copy has everything that was stored when this was called
     */
    long take(EventLog log, Duration most) {
        for (int i = 0; i < BY_KEY_MAX; i++) {
            switch (takeByKey(log)) {
                case END -> {
                    return log.tail().offset();
                }
                case TAKEN -> {}
                case UNKNOWN -> {
                    return takeByList(log, most);
                }
            }
        }
        return takeByList(log, most);
    }

    /**
     * Appends the next segment, by one request, or does as {@link #take} when that proves nothing.
     *
     * @return as {@code take}, but for a log that may go on: one more than the last offset
     */
    long takeNext(EventLog log, Duration most) {
        return switch (takeByKey(log)) {
            case TAKEN -> log.tail().offset() + 1;
            case END -> log.tail().offset();
            case UNKNOWN -> takeByList(log, most);
        };
    }

    /** What a request for the next segment has shown. */
    private enum Next {
        /** It is there. */
        TAKEN,
        END,
        UNKNOWN
    }

    private Next takeByKey(EventLog log) {
        long next = log.tail().offset() + 1;
        return atKey(next, stored -> {
            takeOrPacked(next, stored, log);
            noteTaken(next);
        });
    }

    /**
     * Looks for the segment after the end of the copy, by one request.
     *
     * @param taking of the segment that is there
     */
    private Next atKey(long next, Consumer<InputStream> taking) {
        Moment began = segments.now();
        if (!isFreeKeyTheEnd()) {
            return Next.UNKNOWN;
        }
        @Nullable InputStream stored = segments.read(segments.key(next));
        try {
            // The process may have been stopped before the request.
            if (!isFreeKeyTheEnd()) {
                return Next.UNKNOWN;
            }
            if (stored == null) {
                endedAt(began);
                return Next.END;
            }
            taking.accept(stored);
            return Next.TAKEN;
        } finally {
            SegmentsAhead.close(stored);
        }
    }

    /** Whether no segment after the end of the copy can have been deleted, so that the next key is free at the end. */
    private boolean isFreeKeyTheEnd() {
        return end.isRecent() && unpacked.isRecent();
    }

    private void endedAt(Moment began) {
        unpacked.at(began);
        end.at(began);
    }

    /** As {@link #take}, by a list, which also shows that the graph was deleted or replaced. */
    long takeByList(EventLog log, Duration most) {
        long start = System.nanoTime();
        while (true) {
            Moment began = segments.now();
            long tail = log.tail().offset();
            List<Long> page = list(tail);
            List<Long> fresh = page.stream().filter(first -> first > tail).toList();
            try (SegmentsAhead ahead = new SegmentsAhead(segments, fresh)) {
                for (long first : fresh) {
                    take(first, ahead, log);
                    noteTaken(first);
                    if (System.nanoTime() - start > most.toNanos() && first != fresh.getLast()) {
                        return Math.max(log.tail().offset(), fresh.getLast());
                    }
                }
            }
            if (page.size() < PAGE) {
                endedAt(began);
                return log.tail().offset();
            }
            if (System.nanoTime() - start > most.toNanos()) {
                return log.tail().offset() + 1;
            }
        }
    }

    /**
     * Whether there is a segment after an event, by one request. Any thread.
     *
     * @param tail the end of the copy, now or a moment ago
     */
    boolean hasNew(long tail) {
        return switch (atKey(tail + 1, stored -> {})) {
            case TAKEN -> true;
            case END -> false;
            case UNKNOWN -> isListed(tail);
        };
    }

    private boolean isListed(long tail) {
        Moment began = segments.now();
        boolean isNew = !segments.firstOffsets(tail, 1).isEmpty();
        if (!isNew) {
            endedAt(began);
        }
        return isNew;
    }

    private void noteTaken(long first) {
        newest = first;
        taken++;
    }

    /** How many segments of other processes were taken since this object was made. */
    long taken() {
        return taken;
    }

    /** When the log was last known to end where the copy ends. */
    LastLook end() {
        return end;
    }

    /** Notes a segment that this process has stored after the end of the copy, and which the copy has now. */
    void stored(long first, Moment begun) {
        newest = first;
        endedAt(begun);
    }

    /** The first offset of the newest segment that the copy has; −1 when it is not known. */
    long newest() {
        return newest;
    }

    /**
     * The segments from the newest known one on. The newest segment of a graph is never deleted, so there is one unless
     * the objects of the graph were replaced.
     */
    private List<Long> list(long tail) {
        if (newest < 0) {
            newest = CopyCheck.lastFirstUpTo(segments, tail);
        }
        List<Long> page = segments.firstOffsets(newest < 0 ? tail : newest - 1, PAGE);
        if (page.isEmpty()) {
            throw EventFormatException.damaged(
                    tail,
                    segments.location() + " does not have it any more: the graph was deleted or replaced; start this"
                            + " server again");
        }
        return page;
    }

    private void take(long first, SegmentsAhead ahead, EventLog log) {
        @Nullable InputStream stored = ahead.next();
        try {
            if (!unpacked.isRecent()) {
                Moment now = segments.now();
                takePacked(log);
                unpacked.at(now);
            }
            takeListed(first, () -> stored, log);
        } finally {
            SegmentsAhead.close(stored);
        }
    }

    /**
     * Takes a segment that was listed, unless the copy has it. It may have been packed and deleted since.
     *
     * @param object begins to read the segment; null when it is missing
     */
    void takeListed(long first, Supplier<@Nullable InputStream> object, EventLog log) {
        while (first > log.tail().offset() + 1) {
            long next = log.tail().offset() + 1;
            if (!takePacked(log)) {
                throw missing.apply(next, segments.key(next));
            }
        }
        if (first == log.tail().offset() + 1) {
            takeOrPacked(first, object.get(), log);
        }
    }

    /** Takes the packed objects after the end of the copy; false when there is none. */
    boolean takePacked(EventLog log) {
        boolean taken = false;
        for (PackedRange range = packed.covering(log.tail().offset() + 1);
                range != null;
                range = packed.covering(log.tail().offset() + 1)) {
            PackedRange now = range;
            SegmentIntake.take(
                    new SegmentIntake.Stored(segments.key(now), now.first()), log, segments, () -> packed.require(now));
            taken = true;
        }
        return taken;
    }

    private void takeOrPacked(long first, @Nullable InputStream stored, EventLog log) {
        if (stored != null) {
            AtomicReference<@Nullable InputStream> begun = new AtomicReference<>(stored);
            SegmentIntake.take(first, log, segments, () -> {
                InputStream once = begun.getAndSet(null);
                return once == null ? require(first) : once;
            });
        } else if (!takePacked(log)) {
            throw missing.apply(first, segments.key(first));
        }
    }

    /** Begins to read a segment. */
    InputStream require(long first) {
        InputStream stored = segments.read(segments.key(first));
        if (stored == null) {
            throw missing.apply(first, segments.key(first));
        }
        return stored;
    }
}
