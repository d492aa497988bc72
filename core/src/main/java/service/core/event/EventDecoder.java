package service.core.event;

import static service.core.event.EventLayout.*;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.value.Ulid;

/** Parses one header for {@link EventCodec}, which has checked it. */
final class EventDecoder {
    private static final CommitKind[] KINDS = CommitKind.values();

    private final DirectBuffer buffer;
    private final int flags;
    private int at = AT_BODY;
    private @Nullable String actor;

    private EventDecoder(DirectBuffer buffer) {
        this.buffer = buffer;
        this.flags = buffer.getByte(AT_FLAGS);
    }

    static Event decode(DirectBuffer buffer, ChangeBlock changes) {
        EventDecoder decoder = new EventDecoder(buffer);
        int type = buffer.getByte(AT_TYPE);
        return switch (type) {
            case TYPE_COMMIT -> decoder.commit(changes);
            case TYPE_BRANCH_CREATED -> decoder.branchCreated();
            case TYPE_BRANCH_DELETED -> decoder.branchDeleted();
            case TYPE_BRANCH_FAST_FORWARDED -> decoder.branchFastForwarded(changes);
            case TYPE_WRITE_REMEMBERED -> decoder.writeRemembered();
            case TYPE_TAG_CREATED -> decoder.tagCreated();
            case TYPE_TAG_DELETED -> decoder.tagDeleted();
            case TYPE_HISTORY_RECLAIMED -> decoder.historyReclaimed();
            default -> throw new IllegalArgumentException("type " + type);
        };
    }

    private Event commit(ChangeBlock changes) {
        CommitKind kind = KINDS[takeInt()];
        int incarnation = takeInt();
        ChangeCounts counts = new ChangeCounts(takeInt(), takeInt(), takeInt(), takeInt(), takeInt(), takeInt());
        Ulid id = takeUlid();
        Ulid parent = takeUlid();
        Ulid mergedParent = takeUlid();
        String branch = takeText();
        SchemaChange schema = has(FLAG_SCHEMA) ? takeSchema() : null;
        takeActor();
        IdempotencyKey idempotency = takeIdempotency();
        TakenSides sides = has(FLAG_SIDES) ? new TakenSides(takeInt(), takeInt(), takeLongText()) : null;
        CommitHeader.Lineage lineage = new CommitHeader.Lineage(
                branch,
                incarnation,
                has(FLAG_PARENT) ? parent : null,
                has(FLAG_MERGED_PARENT) ? mergedParent : null,
                has(FLAG_OF) ? takeUlid() : null);
        return new Event.Commit(
                new CommitHeader(takeStamp(), id, kind, lineage, idempotency, counts, schema, sides), changes);
    }

    private Event branchCreated() {
        int incarnation = takeInt();
        int parentIncarnation = takeInt();
        long forkOffset = takeLong();
        Ulid forkCommit = takeUlid();
        String name = takeText();
        Fork fork = new Fork(parentIncarnation, takeText(), forkOffset, forkCommit);
        boolean past = buffer.getShort(AT_VERSION) == VERSION_NEWER;
        takeActor();
        return new Event.BranchCreated(takeStamp(), name, incarnation, fork, past);
    }

    private Event branchDeleted() {
        int incarnation = takeInt();
        String name = takeText();
        takeActor();
        return new Event.BranchDeleted(takeStamp(), name, incarnation);
    }

    private Event branchFastForwarded(ChangeBlock changes) {
        int target = takeInt();
        int source = takeInt();
        long newHeadOffset = takeLong();
        Ulid newHead = takeUlid();
        takeActor();
        IdempotencyKey idempotency = takeIdempotency();
        return new Event.BranchFastForwarded(takeStamp(), target, source, newHead, newHeadOffset, idempotency, changes);
    }

    private Event writeRemembered() {
        int incarnation = takeInt();
        takeActor();
        IdempotencyKey idempotency = takeIdempotency();
        if (idempotency == null) {
            throw new IllegalArgumentException("a remembered write without its key");
        }
        return new Event.WriteRemembered(takeStamp(), incarnation, idempotency);
    }

    private Event tagCreated() {
        int incarnation = takeInt();
        Ulid commit = takeUlid();
        String name = takeText();
        takeActor();
        IdempotencyKey idempotency = takeIdempotency();
        return new Event.TagCreated(takeStamp(), name, commit, incarnation, idempotency);
    }

    private Event tagDeleted() {
        int incarnation = takeInt();
        Ulid commit = takeUlid();
        String name = takeText();
        takeActor();
        IdempotencyKey idempotency = takeIdempotency();
        return new Event.TagDeleted(takeStamp(), name, commit, incarnation, idempotency);
    }

    private Event historyReclaimed() {
        byte[] marks = takeBytes(takeInt());
        takeActor();
        return new Event.HistoryReclaimed(takeStamp(), marks);
    }

    private boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** Reads the actor, if there is one, for {@link #takeStamp}. */
    private void takeActor() {
        actor = has(FLAG_ACTOR) ? takeText() : null;
    }

    /** The stamp; its note, the last part of a header, is at the current position if there is one. */
    private Stamp takeStamp() {
        return new Stamp(buffer.getLong(AT_OFFSET), buffer.getLong(AT_TIME), actor, has(FLAG_NOTE) ? takeNote() : null);
    }

    private Note takeNote() {
        String message = takeText();
        SortedMap<String, String> meta = new TreeMap<>();
        int pairs = takeInt();
        for (int i = 0; i < pairs; i++) {
            meta.put(takeText(), takeText());
        }
        return new Note(message.isEmpty() ? null : message, meta);
    }

    private @Nullable IdempotencyKey takeIdempotency() {
        if (!has(FLAG_IDEMPOTENCY)) {
            return null;
        }
        String key = takeText();
        byte[] digest = takeBytes(HASH_BYTES);
        return new IdempotencyKey(key, digest, takeLongText());
    }

    private SchemaChange takeSchema() {
        String source = takeLongText();
        String digest = takeLongText();
        byte[] identities = takeBytes(takeInt());
        int n = takeInt();
        List<String> steps = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            steps.add(takeLongText());
        }
        return new SchemaChange(source, digest, identities, List.copyOf(steps));
    }

    private int takeInt() {
        int value = buffer.getInt(at);
        at += Integer.BYTES;
        return value;
    }

    private long takeLong() {
        long value = buffer.getLong(at);
        at += Long.BYTES;
        return value;
    }

    private Ulid takeUlid() {
        long high = takeLong();
        return new Ulid(high, takeLong());
    }

    private byte[] takeBytes(int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(at, bytes);
        at += length;
        return bytes;
    }

    private String takeText() {
        int length = buffer.getShort(at) & 0xFFFF;
        at += Short.BYTES;
        return new String(takeBytes(length), StandardCharsets.UTF_8);
    }

    private String takeLongText() {
        return new String(takeBytes(takeInt()), StandardCharsets.UTF_8);
    }
}
