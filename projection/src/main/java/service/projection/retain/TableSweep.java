package service.projection.retain;

import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import service.log.lmdb.KeyBuffer;
import service.log.retain.Retention;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;
import service.projection.temporal.MappedBytes;

/**
 * One pass over the temporal tables that finds the entries which no readable state needs. It reads beside the writer, a
 * batch a transaction; only the deletions are the writer's, and what was found superfluous stays so whatever is
 * committed meanwhile. Costs a walk over the tables. One thread.
 */
public final class TableSweep {
    private static final int BATCH_KEYS = 4_096;
    private static final int BATCH_ENTRIES = 200_000;
    private static final List<ProjectionTable> TABLES = List.of(
            ProjectionTable.RECORDS,
            ProjectionTable.OUT,
            ProjectionTable.IN,
            ProjectionTable.INDEX,
            ProjectionTable.COUNTS);

    /** Superfluous entries of one table. */
    public record Batch(ProjectionTable table, List<byte[]> keys) {}

    private final Retention retention;
    private int table;
    private @Nullable EntryNeed need;

    public TableSweep(Retention retention) {
        this.retention = retention;
    }

    /**
     * Goes on where the last batch ended.
     *
     * @return keys that may be deleted, perhaps none; null when the pass is over
     */
    public @Nullable Batch next(TableAccess access) {
        if (table == TABLES.size()) {
            return null;
        }
        ProjectionTable current = TABLES.get(table);
        EntryNeed test = need;
        if (test == null) {
            test = new EntryNeed(current, retention);
            need = test;
        }
        List<byte[]> keys = new ArrayList<>();
        Cursor<DirectBuffer> cursor = access.cursor(current);
        try {
            boolean found = begin(cursor, test.last());
            for (int looked = 0; found; looked++) {
                if (keys.size() == BATCH_KEYS || looked == BATCH_ENTRIES) {
                    return new Batch(current, keys);
                }
                if (!test.test(cursor.key(), cursor.val())) {
                    keys.add(copy(cursor.key()));
                }
                found = cursor.next();
            }
        } finally {
            access.release(current, cursor);
        }
        table++;
        need = null;
        return new Batch(current, keys);
    }

    /** Stands behind the last entry that was looked at, whether that is still there or not. */
    private static boolean begin(Cursor<DirectBuffer> cursor, KeyBuffer last) {
        if (last.length() == 0) {
            return cursor.first();
        }
        boolean found = cursor.get(last.key(), GetOp.MDB_SET_RANGE);
        if (found
                && cursor.key().capacity() == last.length()
                && MappedBytes.same(cursor.key().addressOffset(), last.address(), last.length())) {
            return cursor.next();
        }
        return found;
    }

    private static byte[] copy(DirectBuffer key) {
        byte[] bytes = new byte[key.capacity()];
        key.getBytes(0, bytes);
        return bytes;
    }

    /**
     * Deletes entries; the writer's thread.
     *
     * @param from where in the batch to begin
     * @param nanosMax stops behind the entry that took it over this time
     * @return where in the batch it stopped
     */
    public static int delete(TableAccess access, Batch batch, int from, long nanosMax) {
        long end = System.nanoTime() + nanosMax;
        int at = from;
        while (at < batch.keys().size() && (at == from || System.nanoTime() < end)) {
            byte[] key = batch.keys().get(at++);
            access.delete(batch.table(), access.key().putBytes(key, 0, key.length));
        }
        return at;
    }
}
