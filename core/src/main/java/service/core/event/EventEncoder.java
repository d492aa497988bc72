package service.core.event;

import static service.core.event.EventLayout.*;

import java.nio.charset.StandardCharsets;
import org.agrona.ExpandableArrayBuffer;
import org.jspecify.annotations.Nullable;
import service.core.value.Ulid;

/** Encodes headers for {@link EventCodec}. One thread. */
final class EventEncoder {
    private static final int BUFFER_BYTES = 512;
    private static final int BUFFER_KEPT_BYTES_MAX = 16 << 20;

    private final EventChecksums checksums;
    private ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(BUFFER_BYTES);
    private int at;

    EventEncoder(EventChecksums checksums) {
        this.checksums = checksums;
    }

    /** Encodes the header of an event; its changes are encoded already. */
    EncodedEvent encode(Event event, byte[] previousHash) {
        if (buffer.capacity() > BUFFER_KEPT_BYTES_MAX) {
            buffer = new ExpandableArrayBuffer(BUFFER_BYTES);
        }
        if (previousHash.length != HASH_BYTES) {
            throw new IllegalArgumentException("a hash has " + HASH_BYTES + " bytes");
        }
        buffer.putInt(0, MAGIC);
        buffer.putLong(AT_OFFSET, event.offset());
        buffer.putLong(AT_TIME, event.timeMicros());
        buffer.putBytes(AT_PREVIOUS_HASH, previousHash);
        at = AT_BODY;
        ChangeBlock changes = switch (event) {
            case Event.Commit commit -> commit(commit);
            case Event.BranchCreated created -> branchCreated(created);
            case Event.BranchDeleted deleted -> branchDeleted(deleted);
            case Event.BranchFastForwarded forwarded -> branchFastForwarded(forwarded);
            case Event.WriteRemembered remembered -> writeRemembered(remembered);
            case Event.TagCreated created -> tagCreated(created);
            case Event.TagDeleted deleted -> tagDeleted(deleted);
            case Event.HistoryReclaimed reclaimed -> historyReclaimed(reclaimed);
        };
        buffer.putShort(AT_VERSION, (short) (isWide(event, changes) ? VERSION_WIDE : version(event)));
        int header = at + TRAILER_BYTES;
        EventCodec.checkLength((long) header + changes.length());
        buffer.putInt(AT_LENGTH, header + changes.length());
        buffer.putInt(AT_HEADER_LENGTH, header);
        buffer.putInt(AT_CHANGE_COUNT, changes.count());
        buffer.putInt(AT_CHANGES_CRC, changes.crc());
        buffer.putBytes(AT_CHANGES_HASH, changes.digest());
        byte[] hash = checksums.hash(buffer, 0, at);
        buffer.putBytes(at, hash);
        buffer.putInt(header - CRC_BYTES, checksums.crc(buffer, 0, header - CRC_BYTES));
        byte[] bytes = new byte[header];
        buffer.getBytes(0, bytes);
        return new EncodedEvent(event, bytes, changes, hash);
    }

    private static boolean isWide(Event event, ChangeBlock changes) {
        SchemaChange schema =
                event instanceof Event.Commit commit ? commit.header().schema() : null;
        return changes.isTyped() || (schema != null && schema.isWide());
    }

    private static int version(Event event) {
        return switch (event) {
            case Event.Commit commit -> commit.header().kind().isOfCommit() ? VERSION_NEWER : VERSION;
            case Event.BranchCreated created -> created.past() ? VERSION_NEWER : VERSION;
            case Event.BranchDeleted ignored -> VERSION;
            case Event.BranchFastForwarded ignored -> VERSION;
            case Event.WriteRemembered ignored -> VERSION;
            case Event.TagCreated ignored -> VERSION_NEWER;
            case Event.TagDeleted ignored -> VERSION_NEWER;
            case Event.HistoryReclaimed ignored -> VERSION_RECLAIMED;
        };
    }

    /** The ordinal of the kind is its code: {@link CommitKind} is append-only. */
    @SuppressWarnings("EnumOrdinal")
    private ChangeBlock commit(Event.Commit event) {
        CommitHeader header = event.header();
        SchemaChange schema = header.schema();
        int flags = (header.parent() != null ? FLAG_PARENT : 0)
                | (header.mergedParent() != null ? FLAG_MERGED_PARENT : 0)
                | (schema != null ? FLAG_SCHEMA : 0)
                | (header.sides() != null ? FLAG_SIDES : 0)
                | (header.lineage().of() != null ? FLAG_OF : 0);
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
        TakenSides sides = header.sides();
        if (sides != null) {
            // After all older fields, so that a program without resolutions reads the rest.
            putInt(sides.source());
            putInt(sides.target());
            putBlock(sides.entities().getBytes(StandardCharsets.UTF_8));
        }
        if (header.lineage().of() != null) {
            putUlid(header.lineage().of());
        }
        putNote(event);
        return event.changes();
    }

    private ChangeBlock branchCreated(Event.BranchCreated event) {
        putInt(event.incarnation());
        putInt(event.fork().parentIncarnation());
        putLong(event.fork().offset());
        putUlid(event.fork().commit());
        putText(event.name());
        putText(event.fork().parentName());
        putEnd(TYPE_BRANCH_CREATED, 0, event.actor(), null);
        putNote(event);
        return ChangeBlock.EMPTY;
    }

    private ChangeBlock branchDeleted(Event.BranchDeleted event) {
        putInt(event.incarnation());
        putText(event.name());
        putEnd(TYPE_BRANCH_DELETED, 0, event.actor(), null);
        putNote(event);
        return ChangeBlock.EMPTY;
    }

    private ChangeBlock branchFastForwarded(Event.BranchFastForwarded event) {
        putInt(event.targetIncarnation());
        putInt(event.sourceIncarnation());
        putLong(event.newHeadOffset());
        putUlid(event.newHead());
        putEnd(TYPE_BRANCH_FAST_FORWARDED, 0, event.actor(), event.idempotency());
        putNote(event);
        return event.changes();
    }

    private ChangeBlock writeRemembered(Event.WriteRemembered event) {
        putInt(event.incarnation());
        putEnd(TYPE_WRITE_REMEMBERED, 0, event.actor(), event.idempotency());
        return ChangeBlock.EMPTY;
    }

    private ChangeBlock tagCreated(Event.TagCreated event) {
        putInt(event.incarnation());
        putUlid(event.commit());
        putText(event.name());
        putEnd(TYPE_TAG_CREATED, 0, event.actor(), event.idempotency());
        putNote(event);
        return ChangeBlock.EMPTY;
    }

    private ChangeBlock tagDeleted(Event.TagDeleted event) {
        putInt(event.incarnation());
        putUlid(event.commit());
        putText(event.name());
        putEnd(TYPE_TAG_DELETED, 0, event.actor(), event.idempotency());
        putNote(event);
        return ChangeBlock.EMPTY;
    }

    private ChangeBlock historyReclaimed(Event.HistoryReclaimed event) {
        putBlock(event.marks());
        putEnd(TYPE_HISTORY_RECLAIMED, 0, event.actor(), null);
        putNote(event);
        return ChangeBlock.EMPTY;
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

    /** After all other fields, so that a program without notes reads the rest. */
    private void putNote(Event event) {
        Note note = event.stamp().note();
        if (note == null) {
            return;
        }
        buffer.putByte(AT_FLAGS, (byte) (buffer.getByte(AT_FLAGS) | FLAG_NOTE));
        putText(note.message() == null ? "" : note.message());
        putInt(note.meta().size());
        note.meta().forEach((key, value) -> {
            putText(key);
            putText(value);
        });
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
        byte[] bytes = ChangeBytes.utf8(text);
        buffer.putShort(at, (short) bytes.length);
        at += Short.BYTES;
        putBytes(bytes);
    }
}
