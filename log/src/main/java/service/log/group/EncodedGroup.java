package service.log.group;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import service.core.blob.StagedBlobs;
import service.core.event.ChangeReader;
import service.core.event.EncodedEvent;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.Image;
import service.core.value.Ulid;
import service.core.value.Value;

/**
 * The events of one group as bytes. The events hold all that a commit changes: entities, branches, schemas, idempotency
 * keys. Little-endian; an id is its high, then its low 64 bits.
 *
 * <pre>
 *   0  u32  magic "GRUP"
 *   4  u32  version, 1
 *   8  16   id of the graph
 *  24  i64  offset of the first event
 *  32  i64  E, length of the events in bytes
 *  40  u32  n, number of events
 *  44  u32  0
 *  48  32   hash of the event before the first; zeros at offset 0
 *  80  32   hash of the last event
 * 112       the events, back to back, in the layout of {@link EventCodec}
 * 112+E u32 CRC32C of all bytes before it
 * </pre>
 *
 * <p>The managed blobs that the events refer to are not part of these bytes; {@link Part#forEachBlob} lists them.
 *
 * <p>Changes are not copied: an event refers to the bytes of its {@code ChangeBlock}. So a group is valid until the
 * first of its commands is answered. One thread at a time.
 */
public final class EncodedGroup {
    /** Bytes before the first event. */
    public static final int HEADER_BYTES = 112;

    /** "GRUP" in ASCII, as a little-endian number. */
    public static final int MAGIC = 0x50555247;

    public static final int VERSION = 1;

    /** Bytes of a mapped file that are copied to the heap at once for the checksum. */
    private static final int CHUNK_BYTES = 16 << 10;

    /**
     * An event of the group.
     *
     * @param staged the managed bytes that came with its command
     */
    public record Part(EncodedEvent event, StagedBlobs staged) {
        /** Calls with each managed blob of the event's new images; with none when no bytes were staged. */
        public void forEachBlob(Consumer<Value.ManagedBlob> blobs) {
            if (staged.isEmpty()) {
                return;
            }
            ChangeReader changes = event.changes().reader();
            while (changes.next()) {
                Image after = changes.after();
                if (after != null) {
                    after.properties().blobs(blobs);
                }
            }
        }
    }

    private final EventCodec codec;
    private final Ulid graph;
    private final LogTail before;
    private final List<Part> parts = new ArrayList<>();
    private LogTail tail;
    private long eventBytes;

    /**
     * An empty group.
     *
     * @param codec of this thread; may be reused for the next group
     * @param before the durable end of the log
     */
    public EncodedGroup(EventCodec codec, Ulid graph, LogTail before) {
        this.codec = codec;
        this.graph = graph;
        this.before = before;
        this.tail = before;
    }

    /** The offset that the next event must have. */
    public long nextOffset() {
        return tail.offset() + 1;
    }

    /** The number that the next new branch must have. */
    public int nextIncarnation() {
        return tail.nextIncarnation();
    }

    /**
     * Encodes the next event. After an exception the group is unchanged.
     *
     * @param staged managed bytes that came with its command
     * @throws IllegalArgumentException when the event does not follow the last one
     * @throws service.core.error.ServiceException RESOURCE_LIMIT when it is too long
     */
    public void add(Event event, StagedBlobs staged) {
        if (event.offset() != nextOffset() || event.timeMicros() < tail.timeMicros()) {
            throw new IllegalArgumentException("event " + event.offset() + " does not follow " + tail.offset());
        }
        if (event instanceof Event.BranchCreated created && created.incarnation() != nextIncarnation()) {
            throw new IllegalArgumentException("incarnation " + created.incarnation() + ", not " + nextIncarnation());
        }
        EncodedEvent encoded = codec.encode(event, tail.hash());
        parts.add(new Part(encoded, staged));
        eventBytes += encoded.length();
        tail = tail.after(event, encoded.hash());
    }

    /** The events in their order; a view that grows with the group. */
    public List<Part> parts() {
        return Collections.unmodifiableList(parts);
    }

    public boolean isEmpty() {
        return parts.isEmpty();
    }

    /** The end of the log before the group. */
    public LogTail before() {
        return before;
    }

    /** The end of the log after the group. */
    public LogTail tail() {
        return tail;
    }

    /** The number of bytes that {@link #write} passes on. */
    public long length() {
        return HEADER_BYTES + eventBytes + Integer.BYTES;
    }

    /** Passes the bytes on, piece by piece; the changes of events without a copy. */
    public void write(EncodedEvent.Pieces to) {
        CRC32C crc = new CRC32C();
        EncodedEvent.Pieces summed = (bytes, index, length) -> {
            update(crc, bytes, index, length);
            to.take(bytes, index, length);
        };
        UnsafeBuffer header = new UnsafeBuffer(new byte[HEADER_BYTES]);
        header.putInt(0, MAGIC);
        header.putInt(4, VERSION);
        header.putLong(8, graph.high());
        header.putLong(16, graph.low());
        header.putLong(24, before.offset() + 1);
        header.putLong(32, eventBytes);
        header.putInt(40, parts.size());
        header.putBytes(48, before.hash());
        header.putBytes(80, tail.hash());
        summed.take(header, 0, HEADER_BYTES);
        parts.forEach(part -> part.event().forEachPiece(summed));
        UnsafeBuffer end = new UnsafeBuffer(new byte[Integer.BYTES]);
        end.putInt(0, (int) crc.getValue());
        to.take(end, 0, Integer.BYTES);
    }

    private static void update(CRC32C crc, DirectBuffer bytes, int index, int length) {
        byte[] array = bytes.byteArray();
        if (array != null) {
            crc.update(array, bytes.wrapAdjustment() + index, length);
            return;
        }
        byte[] chunk = new byte[Math.min(length, CHUNK_BYTES)];
        for (int at = 0; at < length; at += CHUNK_BYTES) {
            int count = Math.min(CHUNK_BYTES, length - at);
            bytes.getBytes(index + at, chunk, 0, count);
            crc.update(chunk, 0, count);
        }
    }
}
