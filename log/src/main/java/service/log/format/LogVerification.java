package service.log.format;

import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import service.core.event.ChangeReader;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.log.retain.Retention;

/**
 * Reads a whole log and checks all that can be checked without the projections: contiguous offsets,
 * checksums, hashes and their chain, times that do not run backwards, changes that can be walked.
 * Of events that cleanup has stripped, the header and the place in the chain.
 */
public final class LogVerification {
    /**
     * What was found.
     *
     * @param damaged the first finding, or null when the log is sound; what lies behind it was not
     *     read
     */
    public record Report(
            long events, long changes, long bytes, List<EventFormatException> damaged) {
        public boolean sound() {
            return damaged.isEmpty();
        }
    }

    private final ChangeReader changes = new ChangeReader();
    private byte[] previousHash = EventCodec.hashBeforeFirst();
    private long previousTime = Long.MIN_VALUE;
    private long eventCount;
    private long changeCount;
    private long byteCount;

    private LogVerification() {}

    /** Any thread; holds one read for its whole run. */
    public static Report run(EventLog log) {
        LogVerification run = new LogVerification();
        List<EventFormatException> damaged = new ArrayList<>();
        try (EventReader reader = log.read()) {
            reader.scan(
                    0,
                    (offset, bytes) -> {
                        EventCodec codec = reader.codec();
                        run.previousHash = codec.verify(bytes, offset, run.previousHash);
                        Event header = codec.decodeHeader(bytes, offset);
                        if (header.timeMicros() < run.previousTime) {
                            throw EventFormatException.damaged(
                                    offset, "its time lies before the event before it");
                        }
                        run.previousTime = header.timeMicros();
                        run.walk(codec, bytes, header, log.retention());
                        run.eventCount++;
                        run.byteCount += bytes.capacity();
                        return true;
                    });
        } catch (EventFormatException e) {
            damaged.add(e);
        }
        return new Report(run.eventCount, run.changeCount, run.byteCount, List.copyOf(damaged));
    }

    private void walk(EventCodec codec, DirectBuffer bytes, Event header, Retention retention) {
        if (!EventCodec.isStripped(bytes)) {
            codec.changes(bytes, header.offset(), changes);
            while (changes.next()) {
                changeCount++;
            }
        } else if (!retention.isReclaimed(header.incarnation(), header.offset())) {
            throw EventFormatException.damaged(
                    header.offset(), "its changes are gone, though no cleanup has reclaimed them");
        }
    }
}
