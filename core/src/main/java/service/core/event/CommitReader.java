package service.core.event;

import static service.core.event.EventLayout.*;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A commit where it lies, without allocating: a flyweight over its event's bytes for whoever walks many of them.
 * {@link CommitHeader} says what the parts mean. Positions count from the start of {@link #buffer}. Valid while those
 * bytes are (a read transaction, until it closes, or until the reader is given another event). One thread.
 */
public final class CommitReader {
    private static final CommitKind[] KINDS = CommitKind.values();

    private final EventCodec codec;
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private final ChangeReader changes = new ChangeReader();
    private long mark;
    private boolean checked;
    private int branchAt;
    private int actorAt;

    /** A reader of nothing yet; the codec checks what it is given. */
    public CommitReader(EventCodec codec) {
        this.codec = codec;
    }

    /**
     * Reads another commit.
     *
     * @param checkedWhole whether the checksum over the changes has been looked at
     * @param from where its changes go on; 0 for the first
     */
    void wrap(DirectBuffer event, boolean checkedWhole, long from) {
        buffer.wrap(event);
        checked = checkedWhole;
        mark = from;
        branchAt = AT_COMMIT_BRANCH;
        int behind = branchAt + Short.BYTES + textLength(branchAt);
        actorAt = (flags() & FLAG_SCHEMA) == 0 ? behind : behindSchema(behind);
    }

    private int behindSchema(int schemaAt) {
        int at = schemaAt;
        for (int part = 0; part < SCHEMA_PARTS; part++) {
            at += Integer.BYTES + buffer.getInt(at);
        }
        int steps = buffer.getInt(at);
        at += Integer.BYTES;
        for (int step = 0; step < steps; step++) {
            at += Integer.BYTES + buffer.getInt(at);
        }
        return at;
    }

    /** The event's bytes. */
    public DirectBuffer buffer() {
        return buffer;
    }

    public long offset() {
        return buffer.getLong(AT_OFFSET);
    }

    public int incarnation() {
        return buffer.getInt(AT_COMMIT_INCARNATION);
    }

    public CommitKind kind() {
        return KINDS[buffer.getInt(AT_BODY)];
    }

    public long idHigh() {
        return buffer.getLong(AT_COMMIT_ID);
    }

    public long idLow() {
        return buffer.getLong(AT_COMMIT_ID + Long.BYTES);
    }

    public boolean hasParent() {
        return (flags() & FLAG_PARENT) != 0;
    }

    public long parentHigh() {
        return buffer.getLong(AT_COMMIT_PARENT);
    }

    public long parentLow() {
        return buffer.getLong(AT_COMMIT_PARENT + Long.BYTES);
    }

    public boolean hasMergedParent() {
        return (flags() & FLAG_MERGED_PARENT) != 0;
    }

    public long mergedParentHigh() {
        return buffer.getLong(AT_COMMIT_MERGED_PARENT);
    }

    public long mergedParentLow() {
        return buffer.getLong(AT_COMMIT_MERGED_PARENT + Long.BYTES);
    }

    public long timeMicros() {
        return buffer.getLong(AT_TIME);
    }

    /** Where the UTF-8 of the branch's name begins. */
    public int branchPosition() {
        return branchAt + Short.BYTES;
    }

    public int branchLength() {
        return textLength(branchAt);
    }

    public boolean hasActor() {
        return (flags() & FLAG_ACTOR) != 0;
    }

    /** Where the UTF-8 of the actor begins, if there is one. */
    public int actorPosition() {
        return actorAt + Short.BYTES;
    }

    public int actorLength() {
        return textLength(actorAt);
    }

    /** The schema that it brings, as an object of its own, or null. */
    public @Nullable SchemaChange schema() {
        return (flags() & FLAG_SCHEMA) == 0 ? null : header().schema();
    }

    /** Its header as an object of its own. */
    public CommitHeader header() {
        return ((Event.Commit) EventDecoder.decode(buffer, ChangeBlock.EMPTY)).header();
    }

    /** Whether it changed any entity. */
    public boolean hasChanges() {
        return buffer.getInt(AT_CHANGE_COUNT) > 0;
    }

    /**
     * Its changes, from the mark on that it was asked for with.
     *
     * @throws EventFormatException when they are damaged, or cleanup has cut them out
     */
    public ChangeReader changes() {
        if (!checked) {
            codec.checkChanges(buffer, offset());
            checked = true;
        }
        codec.wrapChanges(buffer, offset(), changes);
        if (mark != 0) {
            changes.resume(mark);
        }
        return changes;
    }

    private int flags() {
        return buffer.getByte(AT_FLAGS);
    }

    private int textLength(int at) {
        return buffer.getShort(at) & 0xFFFF;
    }
}
