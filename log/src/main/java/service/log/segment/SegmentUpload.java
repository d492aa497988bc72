package service.log.segment;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.agrona.DirectBuffer;
import service.core.error.ServiceException;
import service.core.event.ChangeReader;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.Image;
import service.core.port.BlobStore;
import service.core.port.ObjectStore;
import service.core.value.Value;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.format.GraphImages;
import service.log.format.StoredBlobs;
import service.log.group.LogTail;
import service.log.retain.BaseFile;
import service.log.retain.Retention;

/**
 * Makes a graph in a bucket from a log in a directory that no cleanup is working on. Blobs come before the segments
 * that refer to them, and the first segment comes last: without it there is no graph. One thread; no other process may
 * write objects of the graph.
 */
public final class SegmentUpload {
    /** As many events as a group of a writer can have, so that an opening finds the last segment with one list. */
    private static final int EVENTS_MAX = 512;

    private static final long BYTES_MAX = 32L << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final EventLog log;
    private final EventReader reader;
    private final SegmentStore segments;
    private final StoredBlobs blobs;

    /** The blobs of the generation that are stored. */
    private final Set<String> there = new HashSet<>();

    private long generation = LogTail.FIRST_GENERATION;

    private SegmentUpload(EventLog log, EventReader reader, SegmentStore segments) {
        this.log = log;
        this.reader = reader;
        this.segments = segments;
        this.blobs = new StoredBlobs(log);
    }

    /**
     * Uploads a log.
     *
     * @param directory of a graph that no process has open for writing
     * @throws ServiceException CONFLICT when there is an object at the place of a segment
     * @throws service.core.port.ObjectStoreException when the store fails; there is no graph then
     */
    public static void run(Path directory, SegmentStore segments) {
        try (EventLog log = EventLog.openReadOnly(directory);
                EventReader reader = log.read()) {
            SegmentUpload upload = new SegmentUpload(log, reader, segments);
            Retention.Base base = log.retention().base();
            if (base == null) {
                upload.run();
            } else {
                upload.run(base);
            }
        }
    }

    /** Of a history that cleanup has reclaimed: a base image, and the two segments that always stay. */
    private void run(Retention.Base base) {
        long nowMicros = System.currentTimeMillis() * 1_000;
        try (ImageFile image = ImageFile.make(
                log,
                new ImageFile.Tables(BaseFile.in(log.directory().resolve("checkpoint"), base), base),
                null,
                nowMicros)) {
            segments.images().createSettled(GraphImages.Kind.BASE, image);
        }
        if (log.tail().offset() > 0) {
            create(single(log.tail().offset()));
        }
        create(single(0));
    }

    private SegmentHeader single(long offset) {
        DirectBuffer event = reader.bytes(offset);
        return new SegmentHeader(
                log.graph(),
                offset,
                offset,
                offset == 0 ? EventCodec.hashBeforeFirst() : EventCodec.previousHashOf(event),
                EventCodec.hashOf(event),
                event.capacity(),
                offset == 0 ? log.secret() : new byte[0]);
    }

    private void run() {
        long last = log.tail().offset();
        byte[] before = EventCodec.hashBeforeFirst();
        SegmentHeader genesis = next(0, before, last);
        before = genesis.hash();
        for (long first = genesis.last() + 1; first <= last; ) {
            SegmentHeader header = next(first, before, last);
            create(header);
            before = header.hash();
            first = header.last() + 1;
        }
        create(genesis);
    }

    /** The header of the segment that begins with an offset; its blobs are stored then. */
    private SegmentHeader next(long first, byte[] hashBefore, long lastOfLog) {
        byte[] hash = hashBefore;
        long bytes = 0;
        long offset = first;
        while (offset <= lastOfLog && offset - first < EVENTS_MAX && bytes < BYTES_MAX) {
            DirectBuffer event = reader.bytes(offset);
            hash = reader.codec().verifyHeader(event, offset, hash);
            bytes += event.capacity();
            putBlobs(offset);
            if (reader.header(offset) instanceof Event.HistoryReclaimed) {
                generation = offset;
                there.clear();
            }
            offset++;
        }
        return new SegmentHeader(
                log.graph(), first, offset - 1, hashBefore, hash, bytes, first == 0 ? log.secret() : new byte[0]);
    }

    private void putBlobs(long offset) {
        ChangeReader changes = reader.changes(offset);
        while (changes.next()) {
            Image after = changes.after();
            if (after != null) {
                after.properties().blobs(this::putBlob);
            }
        }
    }

    private void putBlob(Value.ManagedBlob blob) {
        if (there.add(blob.hex())) {
            segments.createBlob(blob, generation, new Stored(blob, blobs));
        }
    }

    /** The first segment is created after the later ones, which therefore do not show that another process writes. */
    private void create(SegmentHeader header) {
        try (Segment segment = Segment.write(header, () -> log.directory().resolve("segment.put"), events -> {
            for (long offset = header.first(); offset <= header.last(); offset++) {
                DirectBuffer event = reader.bytes(offset);
                events.take(event, 0, event.capacity());
            }
        })) {
            LastLook end = new LastLook(segments);
            end.at(segments.now());
            if (new SegmentPut(segments, segment, end).run(PATIENCE) != SegmentPut.Result.STORED) {
                throw ServiceException.conflict("there is another object at "
                        + segments.uri(segments.key(header.first())) + "; another process makes this graph");
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** The bytes of a stored blob, in pieces. */
    private record Stored(Value.ManagedBlob blob, StoredBlobs blobs) implements ObjectStore.Content {
        @Override
        public long length() {
            return blob.size();
        }

        @Override
        public InputStream open() {
            return new InputStream() {
                private long at;
                private InputStream piece = new ByteArrayInputStream(new byte[0]);

                private boolean fill() throws IOException {
                    if (piece.available() == 0 && at < blob.size()) {
                        byte[] bytes = new byte[(int) Math.min(BlobStore.PIECE_BYTES, blob.size() - at)];
                        int count = blobs.read(blob, at, bytes);
                        piece = new ByteArrayInputStream(bytes, 0, count);
                        at += count;
                    }
                    return piece.available() > 0;
                }

                @Override
                public int read() throws IOException {
                    return fill() ? piece.read() : -1;
                }

                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    return fill() ? piece.read(into, offset, length) : length == 0 ? 0 : -1;
                }
            };
        }
    }
}
