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
import org.lmdbjava.SeekOp;
import service.core.error.ServiceException;
import service.core.port.Branch;
import service.core.port.DeletedBranch;
import service.core.port.ReadPoint;
import service.core.value.Ulid;
import service.log.lmdb.KeyBuffer;
import service.projection.temporal.Chain;

/**
 * Branches by name and incarnations by number.
 *
 * <pre>
 *  branches       name (UTF-8)        →  u32 incarnation, while it lives
 *  incarnations   u32 incarnation     →
 *     0  16 bytes head commit         16  u64 head offset        24  u64 history length     32  u64 created offset
 *    40  u64 created, microseconds    48  i64 deleted offset     56  i32 parent             60  i64 fork offset
 *    68  u64 fork sequence            76  16 bytes fork commit   92  i64 last merge     100  u16 + UTF-8 name
 *     …  u16 + UTF-8 created by (FFFF: none)
 * </pre>
 *
 * Values are little-endian, commit ids big-endian. The parent's name is stored in the parent's record.
 */
public final class BranchTable {
    private static final int AT_HISTORY_LENGTH = 24;
    private static final int AT_PARENT = 56;
    private static final int AT_FORK_SEQUENCE = 68;
    private static final int NAME = 100;
    private static final int NO_TEXT = 0xFFFF;

    private BranchTable() {}

    public static void incarnationKey(KeyBuffer into, int incarnation) {
        into.clear().putInt(incarnation);
    }

    public static void nameKey(KeyBuffer into, String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        into.clear().putBytes(utf8, 0, utf8.length);
    }

    /** Writes the value of an incarnation and returns its length. */
    public static int encode(MutableDirectBuffer into, Incarnation state) {
        Incarnation.Life life = state.life();
        HistoryTable.putUlid(into, 0, state.head().commit());
        into.putLong(16, state.head().offset());
        into.putLong(AT_HISTORY_LENGTH, state.historyLength());
        into.putLong(32, life.createdOffset());
        into.putLong(40, life.createdMicros());
        into.putLong(48, life.deletedOffset());
        into.putInt(AT_PARENT, state.parentIncarnation());
        into.putLong(60, state.forkOffset());
        into.putLong(AT_FORK_SEQUENCE, state.forkSequence());
        HistoryTable.putUlid(
                into, 76, state.fork() == null ? new Ulid(0, 0) : state.fork().commit());
        into.putLong(92, state.head().lastMerge());
        int end = putText(into, NAME, state.name());
        return putText(into, end, life.createdBy());
    }

    public static @Nullable Incarnation incarnation(TableAccess access, int incarnation) {
        KeyBuffer key = access.key();
        incarnationKey(key, incarnation);
        DirectBuffer value = access.get(ProjectionTable.INCARNATIONS, key);
        if (value == null) {
            return null;
        }
        int parent = value.getInt(AT_PARENT);
        int nameLength = value.getShort(NAME) & 0xFFFF;
        return new Incarnation(
                incarnation,
                Objects.requireNonNull(text(value, NAME)),
                new Incarnation.Head(
                        HistoryTable.ulid(value, 0),
                        value.getLong(16),
                        value.getLong(AT_HISTORY_LENGTH),
                        value.getLong(92)),
                parent < 0
                        ? null
                        : new Incarnation.ForkPoint(
                                parent,
                                value.getLong(60),
                                HistoryTable.ulid(value, 76),
                                value.getLong(AT_FORK_SEQUENCE)),
                new Incarnation.Life(
                        value.getLong(32), value.getLong(40), text(value, NAME + 2 + nameLength), value.getLong(48)));
    }

    /**
     * The incarnation, this one or an ancestor, that stores a place of its history; −1 when there is no such place.
     * Decodes nothing else, because walks call it at every step.
     */
    static int holder(TableAccess access, int incarnation, long sequence) {
        KeyBuffer key = access.key();
        for (int holder = incarnation; sequence >= 0 && holder >= 0; ) {
            incarnationKey(key, holder);
            DirectBuffer value = access.get(ProjectionTable.INCARNATIONS, key);
            if (value == null || sequence >= value.getLong(AT_HISTORY_LENGTH)) {
                return Incarnation.NONE;
            }
            if (sequence >= value.getLong(AT_FORK_SEQUENCE)) {
                return holder;
            }
            holder = value.getInt(AT_PARENT);
        }
        return Incarnation.NONE;
    }

    /** The branch that an incarnation is; null where it is unknown or deleted. */
    public static @Nullable Branch branch(TableAccess access, int incarnation) {
        Incarnation state = incarnation(access, incarnation);
        if (state == null || !state.live()) {
            return null;
        }
        Incarnation parent =
                state.fork() == null ? null : incarnation(access, state.fork().parent());
        return state.branch(parent == null ? null : parent.name());
    }

    /** The live incarnation of a name, or −1. */
    public static int current(TableAccess access, String name) {
        if (name.isEmpty() || name.length() > KeyBuffer.KEY_BYTES_MAX / 4) {
            byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
            if (utf8.length == 0 || utf8.length > KeyBuffer.KEY_BYTES_MAX) {
                return Incarnation.NONE;
            }
        }
        KeyBuffer key = access.key();
        nameKey(key, name);
        DirectBuffer value = access.get(ProjectionTable.BRANCHES, key);
        return value == null ? Incarnation.NONE : value.getInt(0);
    }

    /** Live incarnations in the order of their names' bytes. */
    public static List<Integer> current(TableAccess access) {
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.BRANCHES);
        try {
            List<Integer> incarnations = new ArrayList<>();
            for (boolean found = cursor.first(); found; found = cursor.next()) {
                incarnations.add(cursor.val().getInt(0));
            }
            return incarnations;
        } finally {
            access.release(ProjectionTable.BRANCHES, cursor);
        }
    }

    /** Deleted incarnations below a number, the highest first; at most {@code max}. */
    public static List<DeletedBranch> deleted(TableAccess access, int before, int max) {
        List<DeletedBranch> deleted = new ArrayList<>();
        for (int number = Math.min(before, next(access)) - 1; number >= 0 && deleted.size() < max; number--) {
            Incarnation state = incarnation(access, number);
            if (state != null && !state.live()) {
                Incarnation parent = state.fork() == null
                        ? null
                        : incarnation(access, state.fork().parent());
                deleted.add(new DeletedBranch(
                        state.branch(parent == null ? null : parent.name()),
                        state.life().deletedOffset()));
            }
        }
        return deleted;
    }

    /** Number of live branches; constant cost. */
    public static int count(TableAccess access) {
        return Math.toIntExact(access.entries(ProjectionTable.BRANCHES));
    }

    /** At most {@code max} names of live branches around the place of a name in their order. */
    public static List<String> namesAround(TableAccess access, String name, int max) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        KeyBuffer key = access.key();
        key.putBytes(utf8, 0, Math.min(utf8.length, KeyBuffer.KEY_BYTES_MAX));
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.BRANCHES);
        try {
            boolean found =
                    utf8.length == 0 ? cursor.first() : cursor.get(key.key(), GetOp.MDB_SET_RANGE) || cursor.last();
            int back = found ? max / 2 : 0;
            while (back > 0 && cursor.prev()) {
                back--;
            }
            List<String> names = new ArrayList<>();
            while (found && names.size() < max) {
                names.add(
                        cursor.key().getStringWithoutLengthUtf8(0, cursor.key().capacity()));
                found = cursor.next();
            }
            return names;
        } finally {
            access.release(ProjectionTable.BRANCHES, cursor);
        }
    }

    /** One above the highest incarnation ever made. */
    public static int next(TableAccess access) {
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.INCARNATIONS);
        try {
            return cursor.seek(SeekOp.MDB_LAST) ? cursor.key().getInt(0, java.nio.ByteOrder.BIG_ENDIAN) + 1 : 0;
        } finally {
            access.release(ProjectionTable.INCARNATIONS, cursor);
        }
    }

    /** The chain of a view at the point. */
    public static Chain chain(TableAccess access, ReadPoint point) {
        int[] incarnations = new int[4];
        long[] offsets = new long[4];
        int length = 0;
        int incarnation = point.incarnation();
        long offset = point.offset();
        while (incarnation >= 0) {
            Incarnation state = incarnation(access, incarnation);
            if (state == null) {
                throw ServiceException.notFound("no branch has the incarnation " + incarnation);
            }
            if (length == incarnations.length) {
                incarnations = java.util.Arrays.copyOf(incarnations, 2 * length);
                offsets = java.util.Arrays.copyOf(offsets, 2 * length);
            }
            incarnations[length] = incarnation;
            offsets[length++] = offset;
            incarnation = state.parentIncarnation();
            offset = Math.min(offset, state.forkOffset());
        }
        return new Chain(java.util.Arrays.copyOf(incarnations, length), java.util.Arrays.copyOf(offsets, length));
    }

    private static int putText(MutableDirectBuffer into, int at, @Nullable String text) {
        if (text == null) {
            into.putShort(at, (short) NO_TEXT);
            return at + 2;
        }
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length >= NO_TEXT) {
            throw new IllegalArgumentException("a name of " + utf8.length + " bytes");
        }
        into.putShort(at, (short) utf8.length);
        into.putBytes(at + 2, utf8);
        return at + 2 + utf8.length;
    }

    private static @Nullable String text(DirectBuffer value, int at) {
        int length = value.getShort(at) & 0xFFFF;
        if (length == NO_TEXT) {
            return null;
        }
        byte[] utf8 = new byte[length];
        value.getBytes(at + 2, utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
