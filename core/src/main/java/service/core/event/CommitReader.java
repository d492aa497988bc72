package service.core.event;

import static service.core.event.EventLayout.*;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a commit in place, without allocating: a flyweight over its event's bytes, for walks over many commits.
 * {@link CommitHeader} describes the parts. Positions count from the start of {@link #buffer}. Valid as long as those
 * bytes (in a read transaction, until it closes) and until the reader wraps another event. One thread.
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

    /** A reader without a commit. The codec checks the events that the reader wraps. */
    public CommitReader(EventCodec codec) {
        this.codec = codec;
    }

    /**
     * Wraps another commit.
     *
     * @param checkedWhole whether the checksum over the changes was checked already
     * @param from the mark at which its changes continue; 0 for the first
     */
    void wrap(DirectBuffer event, boolean checkedWhole, long from) {
        buffer.wrap(event);
        checked = checkedWhole;
        mark = from;
        branchAt = AT_COMMIT_BRANCH;
        int after = branchAt + Short.BYTES + textLength(branchAt);
        actorAt = (flags() & FLAG_SCHEMA) == 0 ? after : afterSchema(after);
    }

    private int afterSchema(int schemaAt) {
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

    /** The start of the UTF-8 of the branch's name. */
    public int branchPosition() {
        return branchAt + Short.BYTES;
    }

    public int branchLength() {
        return textLength(branchAt);
    }

    public boolean hasActor() {
        return (flags() & FLAG_ACTOR) != 0;
    }

    /** The start of the UTF-8 of the actor, if there is one. */
    public int actorPosition() {
        return actorAt + Short.BYTES;
    }

    public int actorLength() {
        return textLength(actorAt);
    }

    /** Whether its caller has said something about it. */
    public boolean hasNote() {
        return (flags() & FLAG_NOTE) != 0;
    }

    /** What its caller says about it, as a new object; null when that is nothing. */
    public @Nullable Note note() {
        return hasNote() ? header().stamp().note() : null;
    }

    /** Whether it changes the schema. */
    public boolean bringsSchema() {
        return (flags() & FLAG_SCHEMA) != 0;
    }

    /** The schema that it brings, as a new object; null when it brings none. */
    public @Nullable SchemaChange schema() {
        return bringsSchema() ? header().schema() : null;
    }

    /** Its header as a new object. */
    public CommitHeader header() {
        try {
            return ((Event.Commit) EventDecoder.decode(buffer, ChangeBlock.EMPTY)).header();
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw EventFormatException.damaged(offset(), String.valueOf(e.getMessage()));
        }
    }

    /** Whether it changed an entity. */
    public boolean hasChanges() {
        return buffer.getInt(AT_CHANGE_COUNT) > 0;
    }

    /**
     * Its changes, from the mark that this reader was given.
     *
     * @throws EventFormatException when they are damaged, or cleanup has removed them
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
