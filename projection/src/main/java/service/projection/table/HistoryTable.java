package service.projection.table;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import service.core.port.CommitPosition;
import service.core.value.Ulid;
import service.core.value.UlidSuffix;
import service.log.lmdb.KeyBuffer;

/**
 * Commits by id, and the first-parent history of each incarnation by place.
 *
 * <pre>
 *  commits   16 bytes commit id                  →  0 u64 offset   8 u32 incarnation
 *  history   u32 incarnation | u64 sequence      →  0 u64 offset   8 u64 offset of the event that put it here
 *                                                    16 i64 last merge
 * </pre>
 *
 * A branch stores only places after its fork; its parent stores earlier ones (see {@link Incarnation#forkSequence}). A
 * commit adds itself to the history of its branch, and a fast-forward adds it to that of another one. The last merge is
 * the last place at or below this one with a merge commit, or −1; walks of the commit graph go from merge to merge.
 */
public final class HistoryTable {
    private HistoryTable() {}

    public static void commitKey(KeyBuffer into, Ulid commit) {
        into.clear().putLong(commit.high()).putLong(commit.low());
    }

    public static void historyKey(KeyBuffer into, int incarnation, long sequence) {
        into.clear().putInt(incarnation).putLong(sequence);
    }

    public static @Nullable CommitPosition position(TableAccess access, Ulid commit) {
        KeyBuffer key = access.key();
        commitKey(key, commit);
        DirectBuffer value = access.get(ProjectionTable.COMMITS, key);
        return value == null ? null : new CommitPosition(value.getLong(0), value.getInt(8));
    }

    /** The commits whose ids end with a suffix, in the order of their ids; at most {@code limit}. */
    public static List<Ulid> commits(TableAccess access, UlidSuffix suffix, int limit, Runnable step) {
        List<Ulid> found = new ArrayList<>();
        Cursor<DirectBuffer> cursor = access.cursor(ProjectionTable.COMMITS);
        try {
            for (boolean there = cursor.first(); there && found.size() < limit; there = cursor.next()) {
                step.run();
                long high = cursor.key().getLong(0, ByteOrder.BIG_ENDIAN);
                long low = cursor.key().getLong(Long.BYTES, ByteOrder.BIG_ENDIAN);
                if (suffix.fits(high, low)) {
                    found.add(new Ulid(high, low));
                }
            }
        } finally {
            access.release(ProjectionTable.COMMITS, cursor);
        }
        return found;
    }

    /** Offset of the commit at a place of the history of an incarnation. */
    public static long offset(TableAccess access, int incarnation, long sequence) {
        return place(access, incarnation, sequence).getLong(0);
    }

    /**
     * Offsets of the commits at {@code into.length} consecutive places. Offsets ascend along a history. If the offsets
     * at two places differ by as much as the places do, those between are consecutive and need no lookup: so a stretch
     * of a branch that was written alone costs two lookups, and other places one each.
     */
    public static void offsets(TableAccess access, int incarnation, long sequence, long[] into) {
        int last = into.length - 1;
        if (last >= 0) {
            into[0] = offset(access, incarnation, sequence);
            into[last] = offset(access, incarnation, sequence + last);
            fill(access, incarnation, sequence, into, 0, last);
        }
    }

    /** Fills in the offsets between two known places. */
    private static void fill(TableAccess access, int incarnation, long sequence, long[] into, int low, int high) {
        if (into[high] - into[low] == high - low) {
            for (int i = low + 1; i < high; i++) {
                into[i] = into[low] + i - low;
            }
        } else if (high - low > 1) {
            int middle = (low + high) >>> 1;
            into[middle] = offset(access, incarnation, sequence + middle);
            fill(access, incarnation, sequence, into, low, middle);
            fill(access, incarnation, sequence, into, middle, high);
        }
    }

    /**
     * Offset of the event that added a commit to the history of an incarnation or of its ancestor; ascends along a
     * history.
     */
    public static long movedOffset(TableAccess access, int incarnation, long sequence) {
        return place(access, incarnation, sequence).getLong(Long.BYTES);
    }

    /** The first place from {@code low} on whose event has at least an offset; {@code high} when none before it has. */
    public static long firstMovedAt(TableAccess access, int incarnation, long offset, long low, long high) {
        long first = low;
        long end = high;
        while (first < end) {
            long middle = (first + end) >>> 1;
            if (movedOffset(access, incarnation, middle) < offset) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        return first;
    }

    /** The last place at or below a place that holds a merge commit, or −1. */
    public static long lastMerge(TableAccess access, int incarnation, long sequence) {
        return place(access, incarnation, sequence).getLong(2 * Long.BYTES);
    }

    /** The place of a commit in the history of the incarnation that it was made on. */
    public static long sequence(TableAccess access, CommitPosition position) {
        Incarnation state = Objects.requireNonNull(BranchTable.incarnation(access, position.incarnation()));
        long low = state.forkSequence();
        long high = state.historyLength() - 1;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (offset(access, position.incarnation(), middle) < position.offset()) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static DirectBuffer place(TableAccess access, int incarnation, long sequence) {
        int holder = BranchTable.holder(access, incarnation, sequence);
        if (holder < 0) {
            throw new IllegalArgumentException(
                    "no place " + sequence + " in the history of incarnation " + incarnation);
        }
        KeyBuffer key = access.key();
        historyKey(key, holder, sequence);
        return Objects.requireNonNull(access.get(ProjectionTable.HISTORY, key), "history has a gap");
    }

    /** Puts the 16 bytes of a commit id, big-endian. */
    static void putUlid(MutableDirectBuffer into, int at, Ulid ulid) {
        into.putLong(at, ulid.high(), ByteOrder.BIG_ENDIAN);
        into.putLong(at + Long.BYTES, ulid.low(), ByteOrder.BIG_ENDIAN);
    }

    static Ulid ulid(DirectBuffer value, int at) {
        return new Ulid(value.getLong(at, ByteOrder.BIG_ENDIAN), value.getLong(at + Long.BYTES, ByteOrder.BIG_ENDIAN));
    }
}
