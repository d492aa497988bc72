package service.core.event;

import static service.core.event.EventLayout.*;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.ExpandableArrayBuffer;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.value.EntityKind;
import service.core.value.Ulid;

/** The writing half of {@link EventCodec}. One thread. */
final class EventEncoder {
    private static final int BUFFER_BYTES = 4 << 10;
    private static final int BUFFER_KEPT_BYTES_MAX = 16 << 20;
    private static final int TEXT_BYTES_MAX = 0xFFFF;

    /** Bytes of UTF-8 for one Java character, at the most. */
    private static final int UTF8_BYTES_MAX = 3;

    private final EventChecksums checksums;
    private ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(BUFFER_BYTES);
    private byte[] hash = new byte[HASH_BYTES];
    private int at;

    EventEncoder(EventChecksums checksums) {
        this.checksums = checksums;
    }

    ExpandableArrayBuffer buffer() {
        return buffer;
    }

    byte[] hash() {
        return hash.clone();
    }

    int encode(Event event, byte[] previousHash) {
        if (buffer.capacity() > BUFFER_KEPT_BYTES_MAX) {
            buffer = new ExpandableArrayBuffer(BUFFER_BYTES);
        }
        if (previousHash.length != HASH_BYTES) {
            throw new IllegalArgumentException("a hash has " + HASH_BYTES + " bytes");
        }
        buffer.putInt(0, MAGIC);
        buffer.putShort(AT_VERSION, (short) VERSION);
        buffer.putInt(AT_RESERVED, 0);
        buffer.putLong(AT_OFFSET, event.offset());
        buffer.putLong(AT_TIME, event.timeMicros());
        buffer.putBytes(AT_PREVIOUS_HASH, previousHash);
        at = AT_BODY;
        List<EntityChange> changes = switch (event) {
            case Event.Commit commit -> commit(commit);
            case Event.BranchCreated created -> branchCreated(created);
            case Event.BranchDeleted deleted -> branchDeleted(deleted);
            case Event.BranchFastForwarded forwarded -> branchFastForwarded(forwarded);
            case Event.WriteRemembered remembered -> writeRemembered(remembered);
        };
        int header = at + CRC_BYTES;
        at = header;
        buffer.checkLimit((int) Math.min(EventCodec.EVENT_BYTES_MAX, at + roomFor(changes)));
        for (EntityChange change : changes) {
            putChange(change);
        }
        int length = at + TRAILER_BYTES;
        checkLength(length);
        buffer.putInt(AT_LENGTH, length);
        buffer.putInt(AT_HEADER_LENGTH, header);
        buffer.putInt(AT_CHANGE_COUNT, changes.size());
        buffer.putInt(header - CRC_BYTES, checksums.crc(buffer, header - CRC_BYTES));
        hash = checksums.hash(buffer, at);
        buffer.putBytes(at, hash);
        buffer.putInt(length - CRC_BYTES, checksums.crc(buffer, length - CRC_BYTES));
        return length;
    }

    /** More bytes than the changes can take, so that a long event is not copied to grow. */
    private static long roomFor(List<EntityChange> changes) {
        long bytes = TRAILER_BYTES;
        for (EntityChange change : changes) {
            bytes += CHANGE_AT_ID
                    + (long) UTF8_BYTES_MAX * change.id().length()
                    + roomFor(change.before())
                    + roomFor(change.after());
        }
        return bytes;
    }

    private static long roomFor(@Nullable Image image) {
        if (image == null) {
            return 0;
        }
        long bytes = (long) Integer.BYTES + image.properties().bytes().length;
        if (image.from() != null && image.to() != null) {
            bytes += 2L * Short.BYTES
                    + (long) UTF8_BYTES_MAX
                            * (image.from().length() + image.to().length());
        }
        return bytes;
    }

    /** The ordinal of the kind is its code: {@link CommitKind} is append-only. */
    @SuppressWarnings("EnumOrdinal")
    private List<EntityChange> commit(Event.Commit event) {
        CommitHeader header = event.header();
        SchemaChange schema = header.schema();
        int flags = (header.parent() != null ? FLAG_PARENT : 0)
                | (header.mergedParent() != null ? FLAG_MERGED_PARENT : 0)
                | (schema != null ? FLAG_SCHEMA : 0);
        putInt(header.kind().ordinal());
        putInt(header.incarnation());
        ChangeCounts counts = header.counts();
        putInt(counts.nodesInserted());
        putInt(counts.nodesUpdated());
        putInt(counts.nodesDeleted());
        putInt(counts.edgesInserted());
        putInt(counts.edgesUpdated());
        putInt(counts.edgesDeleted());
        putUlid(header.id());
        putUlid(header.parent());
        putUlid(header.mergedParent());
        putText(header.branch());
        if (schema != null) {
            putBlock(schema.source().getBytes(StandardCharsets.UTF_8));
            putBlock(schema.digest().getBytes(StandardCharsets.UTF_8));
            putBlock(schema.identities());
            putInt(schema.steps().size());
            for (String step : schema.steps()) {
                putBlock(step.getBytes(StandardCharsets.UTF_8));
            }
        }
        putEnd(TYPE_COMMIT, flags, header.actor(), header.idempotency());
        return event.changes();
    }

    private List<EntityChange> branchCreated(Event.BranchCreated event) {
        putInt(event.incarnation());
        putInt(event.parentIncarnation());
        putLong(event.forkOffset());
        putUlid(event.forkCommit());
        putText(event.name());
        putText(event.parentName());
        putEnd(TYPE_BRANCH_CREATED, 0, event.actor(), null);
        return List.of();
    }

    private List<EntityChange> branchDeleted(Event.BranchDeleted event) {
        putInt(event.incarnation());
        putText(event.name());
        putEnd(TYPE_BRANCH_DELETED, 0, event.actor(), null);
        return List.of();
    }

    private List<EntityChange> branchFastForwarded(Event.BranchFastForwarded event) {
        putInt(event.targetIncarnation());
        putInt(event.sourceIncarnation());
        putLong(event.newHeadOffset());
        putUlid(event.newHead());
        putEnd(TYPE_BRANCH_FAST_FORWARDED, 0, event.actor(), event.idempotency());
        return event.changes();
    }

    private List<EntityChange> writeRemembered(Event.WriteRemembered event) {
        putInt(event.incarnation());
        putEnd(TYPE_WRITE_REMEMBERED, 0, event.actor(), event.idempotency());
        return List.of();
    }

    private void putEnd(int type, int flags, @Nullable String actor, @Nullable IdempotencyKey idempotency) {
        int all = flags;
        if (actor != null) {
            all |= FLAG_ACTOR;
            putText(actor);
        }
        if (idempotency != null) {
            all |= FLAG_IDEMPOTENCY;
            if (idempotency.requestDigest().length != HASH_BYTES) {
                throw new IllegalArgumentException("the digest of a request has " + HASH_BYTES + " bytes");
            }
            putText(idempotency.key());
            putBytes(idempotency.requestDigest());
            putBlock(idempotency.receipt().getBytes(StandardCharsets.UTF_8));
        }
        buffer.putByte(AT_TYPE, (byte) type);
        buffer.putByte(AT_FLAGS, (byte) all);
    }

    private void putChange(EntityChange change) {
        int start = at;
        boolean edge = change.kind() == EntityKind.EDGE;
        int flags = (edge ? CHANGE_EDGE : 0)
                | (change.before() != null ? CHANGE_BEFORE : 0)
                | (change.after() != null ? CHANGE_AFTER : 0);
        byte[] id = utf8(change.id());
        buffer.putShort(start + CHANGE_AT_FLAGS, (short) flags);
        buffer.putShort(start + CHANGE_AT_ID_LENGTH, (short) id.length);
        buffer.putInt(start + CHANGE_AT_TYPE, change.typeIdentity());
        at = start + CHANGE_AT_ID;
        putBytes(id);
        putImage(change.before(), edge);
        putImage(change.after(), edge);
        buffer.putInt(start, at - start);
        checkLength(at);
    }

    private void putImage(@Nullable Image image, boolean edge) {
        if (image == null) {
            return;
        }
        putBlock(image.properties().bytes());
        if (edge != (image.from() != null && image.to() != null)) {
            throw new IllegalArgumentException("edges, and only edges, have two ends");
        }
        if (image.from() != null && image.to() != null) {
            putText(image.from());
            putText(image.to());
        }
    }

    private void putInt(int value) {
        buffer.putInt(at, value);
        at += Integer.BYTES;
    }

    private void putLong(long value) {
        buffer.putLong(at, value);
        at += Long.BYTES;
    }

    private void putUlid(@Nullable Ulid id) {
        putLong(id == null ? 0 : id.high());
        putLong(id == null ? 0 : id.low());
    }

    private void putBytes(byte[] bytes) {
        buffer.putBytes(at, bytes);
        at += bytes.length;
    }

    private void putBlock(byte[] bytes) {
        putInt(bytes.length);
        putBytes(bytes);
    }

    private void putText(String text) {
        byte[] bytes = utf8(text);
        buffer.putShort(at, (short) bytes.length);
        at += Short.BYTES;
        putBytes(bytes);
    }

    private static byte[] utf8(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > TEXT_BYTES_MAX) {
            throw new IllegalArgumentException("a text of " + bytes.length + " bytes: at most " + TEXT_BYTES_MAX);
        }
        return bytes;
    }

    private static void checkLength(int length) {
        if (length > EventCodec.EVENT_BYTES_MAX) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "one commit holds at most " + EventCodec.EVENT_BYTES_MAX + " bytes: split the write",
                    new ErrorDetail.ResourceLimit("event_bytes", EventCodec.EVENT_BYTES_MAX, (long) length));
        }
    }
}
