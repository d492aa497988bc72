package service.projection.retain;

import org.agrona.DirectBuffer;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.log.retain.Retention;
import service.projection.table.ProjectionTable;
import service.projection.temporal.TemporalCursor;

/**
 * Decides for each entry, in key order, whether any readable state needs it.
 *
 * <p>An entry of a temporal table is valid from its offset to that of the next newer entry of the same member on the
 * same incarnation. It is needed when a readable state of that incarnation is in that range: one at or above the mark,
 * or a pinned one. A dead entry of {@code main} below the mark, without an older readable state, means the same as no
 * entry and is not needed.
 *
 * <p>The answer does not depend on whether superfluous entries are still present: deleting one joins two ranges, of
 * which one has no readable state. But a dead entry {@link #hides} the older ones of its member, which would be needed
 * without it: it must be deleted after them. So a sweep can be stopped and resumed anywhere, and tables before and
 * after a sweep compare as equal.
 */
public final class EntryNeed {
    private static final int LIVE = 1;

    private final Retention retention;
    private final boolean temporal;
    private final boolean dies;
    private final KeyBuffer previous = new KeyBuffer();
    private long previousOffset;
    private boolean continues;
    private boolean hides;

    public EntryNeed(ProjectionTable table, Retention retention) {
        this.retention = retention;
        this.temporal = isSwept(table) && !retention.isNone();
        this.dies = table != ProjectionTable.COUNTS;
    }

    /** Whether cleanup deletes entries of the table. */
    public static boolean isSwept(ProjectionTable table) {
        return switch (table) {
            case RECORDS, OUT, IN, INDEX, COUNTS -> true;
            case IDS, ORDINALS, FREE, BRANCHES, INCARNATIONS, HISTORY, COMMITS -> false;
            case SCHEMAS, IDEMPOTENCY, ARRIVALS, APPLIED -> false;
        };
    }

    /** Whether the next entry in key order is needed. */
    public boolean test(DirectBuffer key, DirectBuffer value) {
        if (!temporal) {
            return true;
        }
        long at = key.addressOffset();
        int length = key.capacity();
        int member = length - TemporalCursor.SUFFIX;
        int incarnation = ~MappedBytes.keyIntAt(at + member);
        long offset = ~MappedBytes.keyLongAt(at + member + Integer.BYTES);
        continues = previous.length() == length && MappedBytes.same(at, previous.address(), member + Integer.BYTES);
        long until = continues ? previousOffset : Long.MAX_VALUE;
        previous.clear().putMemory(at, length);
        previousOffset = offset;
        boolean isRead = retention.isNeeded(incarnation, offset, until);
        hides = isRead && saysNothing(incarnation, offset, value);
        return isRead && !hides;
    }

    /** Whether the last entry that was tested is of the same member and incarnation as the one before it. */
    boolean continues() {
        return continues;
    }

    /** Whether a readable state sees the last entry that was tested, which says that there is nothing. */
    boolean hides() {
        return hides;
    }

    private boolean saysNothing(int incarnation, long offset, DirectBuffer value) {
        return incarnation == 0
                && offset < retention.mark(0)
                && dies
                && (MappedBytes.byteAt(value.addressOffset()) & LIVE) == 0
                && !retention.isNeeded(0, 0, offset);
    }

    /** The key of the last entry that was tested; its length is 0 before the first. */
    KeyBuffer last() {
        return previous;
    }
}
