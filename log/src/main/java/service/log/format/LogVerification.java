package service.log.format;

import java.util.ArrayList;
import java.util.List;
import service.core.event.ChangeReader;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;

/**
 * Reads a whole log and checks all that can be checked without the projections: contiguous offsets,
 * checksums, hashes and their chain, times that do not run backwards, changes that can be walked.
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
                        codec.changes(bytes, offset, run.changes);
                        while (run.changes.next()) {
                            run.changeCount++;
                        }
                        run.eventCount++;
                        run.byteCount += bytes.capacity();
                        return true;
                    });
        } catch (EventFormatException e) {
            damaged.add(e);
        }
        return new Report(run.eventCount, run.changeCount, run.byteCount, List.copyOf(damaged));
    }
}
