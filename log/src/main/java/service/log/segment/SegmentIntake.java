package service.log.segment;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;
import service.core.error.DamagedDataException;
import service.core.event.EventFormatException;
import service.log.format.EventLog;
import service.log.format.LogIntake;
import service.log.group.LogTail;
import service.log.lmdb.StorageFailure;

/** Appends the events of stored segments to the copy of a log. The thread that may write the copy. */
final class SegmentIntake {
    private SegmentIntake() {}

    /** An object and the offset of the first event that it must have. */
    record Stored(String key, long first) {}

    /**
     * Appends the events of a segment to the copy.
     *
     * @param object begins to read the segment
     */
    static void take(long first, EventLog log, SegmentStore segments, Supplier<InputStream> object) {
        take(new Stored(segments.key(first), first), log, segments, object);
    }

    static void take(Stored stored, EventLog log, SegmentStore segments, Supplier<InputStream> object) {
        while (true) {
            try {
                takeOnce(stored, log, segments, object);
                return;
            } catch (StorageFailure e) {
                if (e.kind() != StorageFailure.Kind.MAP_FULL) {
                    throw e;
                }
                log.grow();
            }
        }
    }

    /** Takes the events that the copy does not have; those before them are passed over. */
    private static void takeOnce(Stored stored, EventLog log, SegmentStore segments, Supplier<InputStream> object) {
        long first = stored.first();
        try (SegmentReader reader = new SegmentReader(object.get())) {
            SegmentHeader header = reader.header();
            if (header.first() != first) {
                throw new Segment.Damage("it begins with event " + header.first());
            }
            if (first > 0 && !header.graph().equals(log.graph())) {
                throw new Segment.Damage("it is of the graph " + header.graph());
            }
            try (LogIntake intake = first > 0
                    ? LogIntake.after(log, segments::blob)
                    : LogIntake.into(log, segments::blob, header.graph(), header.secret())) {
                long next = intake.tail().offset() + 1;
                if (first == next
                        && !Arrays.equals(header.hashBefore(), intake.tail().hash())) {
                    throw new Segment.Damage("it does not follow the event before it");
                }
                long at = first;
                for (DirectBuffer event = reader.next(); event != null; event = reader.next()) {
                    if (at++ >= next) {
                        intake.add(event);
                    }
                }
                reader.finish();
                LogTail tail = intake.tail();
                if (tail.offset() != header.last() || !Arrays.equals(tail.hash(), header.hash())) {
                    throw new Segment.Damage("its last event");
                }
                intake.commit();
            }
        } catch (EventFormatException | DamagedDataException | IOException e) {
            throw damage(first, segments.uri(stored.key()), e);
        }
    }

    /** Damage of the object at a URI, whose first event should have an offset. */
    static EventFormatException damage(long first, String uri, Exception finding) {
        EventFormatException damage = EventFormatException.damaged(first, uri + ": " + finding.getMessage());
        damage.initCause(finding);
        return damage;
    }
}
