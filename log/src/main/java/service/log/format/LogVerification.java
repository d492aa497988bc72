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
 * Reads a whole log and checks it without the tables: contiguous offsets, checksums, hashes and their chain, times that
 * do not decrease, changes that can be decoded, and the managed blobs to which the changes refer. For events stripped
 * by cleanup it checks the header and the chain hash.
 */
public final class LogVerification {
    /**
     * The result of a check.
     *
     * @param bytes bytes of the events
     * @param blobs number of managed blobs, all of which were read
     * @param damaged the first damaged event, after which no event was read; empty when all events are undamaged
     * @param blobFindings one sentence for each blob that is missing or damaged
     */
    public record Report(
            long events,
            long changes,
            long bytes,
            long blobs,
            List<EventFormatException> damaged,
            List<String> blobFindings) {
        public boolean sound() {
            return damaged.isEmpty() && blobFindings.isEmpty();
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
        try (EventReader reader = log.read();
                BlobVerification blobs = new BlobVerification(log)) {
            run.scan(reader, log.retention(), blobs, damaged);
            blobs.run();
            return new Report(
                    run.eventCount,
                    run.changeCount,
                    run.byteCount,
                    blobs.blobs(),
                    List.copyOf(damaged),
                    blobs.findings());
        }
    }

    private void scan(
            EventReader reader, Retention retention, BlobVerification blobs, List<EventFormatException> damaged) {
        try {
            reader.scan(0, (offset, bytes) -> {
                EventCodec codec = reader.codec();
                previousHash = codec.verify(bytes, offset, previousHash);
                Event header = codec.decodeHeader(bytes, offset);
                if (header.timeMicros() < previousTime) {
                    throw EventFormatException.damaged(offset, "its time is before that of the previous event");
                }
                previousTime = header.timeMicros();
                walk(codec, bytes, header, retention, blobs);
                eventCount++;
                byteCount += bytes.capacity();
                return true;
            });
        } catch (EventFormatException e) {
            damaged.add(e);
        }
    }

    private void walk(EventCodec codec, DirectBuffer bytes, Event header, Retention retention, BlobVerification blobs) {
        if (!EventCodec.isStripped(bytes)) {
            codec.changes(bytes, header.offset(), changes);
            while (changes.next()) {
                blobs.expect(header.offset(), changes);
                changeCount++;
            }
        } else if (!retention.isReclaimed(header.incarnation(), header.offset())) {
            throw EventFormatException.damaged(
                    header.offset(), "its changes are gone, though no cleanup has reclaimed them");
        }
    }
}
