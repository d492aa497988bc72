package service.projection.view;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import service.core.port.CommitPosition;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.PageCursor;
import service.projection.table.IdTable;
import service.projection.table.ProjectionTable;
import service.projection.table.RecordTable;
import service.projection.table.TableAccess;
import service.projection.temporal.TemporalCursor;

/**
 * Finds the events that changed an entity: its entries in the records, whose keys have incarnation and offset. Within
 * an incarnation they descend by offset, so the newest before an offset cost a seek and a step each; of all
 * incarnations the newest are kept.
 */
final class EntityChanges {
    private static final int STEPS = 4;

    private EntityChanges() {}

    /** {@link service.core.port.GraphSession#changesOf}. */
    static List<CommitPosition> newest(TableAccess access, int type, String id, long before, int max) {
        int ordinal = IdTable.ordinal(access, type, id);
        if (ordinal < 0 || before <= 0) {
            return List.of();
        }
        PriorityQueue<CommitPosition> newest = new PriorityQueue<>(Comparator.comparingLong(CommitPosition::offset));
        var records = access.cursor(ProjectionTable.RECORDS);
        try {
            PageCursor cursor = new PageCursor(records, access.pageBytes());
            KeyBuffer key = new KeyBuffer();
            RecordTable.member(key, type, ordinal);
            boolean found = cursor.seek(key);
            while (found && isMember(cursor, type, ordinal)) {
                int incarnation = ~MappedBytes.keyIntAt(cursor.keyAddress() + RecordTable.MEMBER);
                found = take(cursor, key, incarnation, before, max, newest);
            }
        } finally {
            access.release(ProjectionTable.RECORDS, records);
        }
        List<CommitPosition> descending = new ArrayList<>(newest);
        descending.sort(Comparator.comparingLong(CommitPosition::offset).reversed());
        return descending;
    }

    private static boolean isMember(PageCursor cursor, int type, int ordinal) {
        long key = cursor.keyAddress();
        return cursor.keyLength() == RecordTable.MEMBER + TemporalCursor.SUFFIX
                && MappedBytes.keyIntAt(key) == type
                && MappedBytes.keyIntAt(key + Integer.BYTES) == ordinal;
    }

    /**
     * Takes the entries of one incarnation that are among the newest, and moves to the next incarnation.
     *
     * @return whether the cursor stands on an entry
     */
    private static boolean take(
            PageCursor cursor,
            KeyBuffer key,
            int incarnation,
            long before,
            int max,
            PriorityQueue<CommitPosition> newest) {
        boolean found = true;
        int skipped = 0;
        while (found && isOf(cursor, key, incarnation)) {
            long offset = ~MappedBytes.keyLongAt(cursor.keyAddress() + RecordTable.MEMBER + Integer.BYTES);
            if (offset >= before) {
                found = ++skipped < STEPS ? cursor.next() : seek(cursor, key, incarnation, before - 1);
                continue;
            }
            if (newest.size() == max && newest.element().offset() > offset) {
                // All further ones of this incarnation are older.
                return seek(cursor, key, incarnation, 0) && (!isOf(cursor, key, incarnation) || cursor.next());
            }
            newest.add(new CommitPosition(offset, incarnation));
            if (newest.size() > max) {
                newest.remove();
            }
            found = cursor.next();
        }
        return found;
    }

    private static boolean isOf(PageCursor cursor, KeyBuffer key, int incarnation) {
        return cursor.keyLength() == RecordTable.MEMBER + TemporalCursor.SUFFIX
                && MappedBytes.same(cursor.keyAddress(), key.address(), RecordTable.MEMBER)
                && ~MappedBytes.keyIntAt(cursor.keyAddress() + RecordTable.MEMBER) == incarnation;
    }

    private static boolean seek(PageCursor cursor, KeyBuffer key, int incarnation, long offset) {
        key.truncate(RecordTable.MEMBER).putInt(~incarnation).putLong(~offset);
        boolean found = cursor.seek(key);
        key.truncate(RecordTable.MEMBER);
        return found;
    }
}
