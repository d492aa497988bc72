package service.projection.table;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import service.core.event.Event;
import service.core.port.CommitPosition;
import service.core.port.Tag;
import service.core.value.Ulid;
import service.log.lmdb.KeyBuffer;

/**
 * Live tags by name, in the table {@code applied}: graphs of before the first tag have no table for them, and a process
 * that only reads cannot make one.
 *
 * <pre>
 *  u32 1 | name (UTF-8)  →  0 16 bytes commit   16 u64 offset of the commit   24 u32 incarnation it was made on
 *                           28 u64 created, microseconds   36 i32 + message (−1: none)   … i32 + created by (−1: none)
 * </pre>
 *
 * Values are little-endian, commit ids big-endian.
 */
public final class TagTable {
    private static final int PREFIX = 1;
    private static final int AT_OFFSET = 16;
    private static final int AT_INCARNATION = 24;
    private static final int AT_CREATED = 28;
    private static final int AT_MESSAGE = 36;
    private static final int NO_TEXT = -1;

    private TagTable() {}

    /** Puts the key of a tag. */
    public static void key(KeyBuffer into, String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        key(into, utf8, utf8.length);
    }

    private static void key(KeyBuffer into, byte[] utf8, int length) {
        into.clear().putInt(PREFIX).putBytes(utf8, 0, length);
    }

    /** Writes the value of a tag and returns its length. */
    public static int encode(MutableDirectBuffer into, Event.TagCreated event, CommitPosition commit) {
        HistoryTable.putUlid(into, 0, event.commit());
        into.putLong(AT_OFFSET, commit.offset());
        into.putInt(AT_INCARNATION, commit.incarnation());
        into.putLong(AT_CREATED, event.timeMicros());
        return putText(into, putText(into, AT_MESSAGE, event.message()), event.actor());
    }

    /** The live tag of a name, or null. */
    public static @Nullable Tag tag(TableAccess access, String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > KeyBuffer.KEY_BYTES_MAX - Integer.BYTES) {
            return null;
        }
        KeyBuffer key = access.key();
        key(key, utf8, utf8.length);
        DirectBuffer value = access.get(ProjectionTable.APPLIED, key);
        return value == null ? null : decode(access, name, value);
    }

    /**
     * Live tags in the order of their names' bytes.
     *
     * @param after begin after this name; null for the first
     */
    public static List<Tag> tags(TableAccess access, @Nullable String after, int max) {
        byte[] utf8 = after == null ? new byte[0] : after.getBytes(StandardCharsets.UTF_8);
        List<Tag> tags = new ArrayList<>();
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.APPLIED);
        try {
            KeyBuffer key = access.key();
            key(key, utf8, Math.min(utf8.length, KeyBuffer.KEY_BYTES_MAX - Integer.BYTES));
            boolean found = cursor.get(key.key(), GetOp.MDB_SET_RANGE);
            if (found && name(cursor).equals(after)) {
                found = cursor.next();
            }
            for (; found && tags.size() < max; found = cursor.next()) {
                tags.add(decode(access, name(cursor), cursor.val()));
            }
        } finally {
            access.release(ProjectionTable.APPLIED, cursor);
        }
        return tags;
    }

    /** Number of live tags; constant cost. */
    public static int count(TableAccess access) {
        int others = AppliedTable.isEmpty(access) ? 0 : 1;
        return Math.toIntExact(access.entries(ProjectionTable.APPLIED)) - others;
    }

    private static String name(Cursor<DirectBuffer> cursor) {
        return cursor.key()
                .getStringWithoutLengthUtf8(Integer.BYTES, cursor.key().capacity() - Integer.BYTES);
    }

    private static Tag decode(TableAccess access, String name, DirectBuffer value) {
        int incarnation = value.getInt(AT_INCARNATION);
        Ulid commit = HistoryTable.ulid(value, 0);
        CommitPosition position = new CommitPosition(value.getLong(AT_OFFSET), incarnation);
        long created = value.getLong(AT_CREATED);
        String message = text(value, AT_MESSAGE);
        String by = text(value, AT_MESSAGE + Integer.BYTES + Math.max(0, value.getInt(AT_MESSAGE)));
        // The last read of the value: the next one of a table may move it.
        String branch = Objects.requireNonNull(BranchTable.incarnation(access, incarnation))
                .name();
        return new Tag(name, commit, position, branch, message, created, by);
    }

    private static int putText(MutableDirectBuffer into, int at, @Nullable String text) {
        if (text == null) {
            into.putInt(at, NO_TEXT);
            return at + Integer.BYTES;
        }
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        into.putInt(at, utf8.length);
        into.putBytes(at + Integer.BYTES, utf8);
        return at + Integer.BYTES + utf8.length;
    }

    private static @Nullable String text(DirectBuffer value, int at) {
        int length = value.getInt(at);
        return length == NO_TEXT ? null : value.getStringWithoutLengthUtf8(at + Integer.BYTES, length);
    }
}
