package service.projection.retain;

import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.log.retain.Retention;
import service.projection.table.EntryCursor;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

/**
 * One pass over the temporal tables that finds entries which no readable state needs. Each batch is one read
 * transaction, and the writer continues; only deletions run on the writer thread. A superfluous entry stays superfluous
 * after later commits. The cost is one walk over the tables. One thread.
 *
 * <p>Readable states look the same after each deletion, because readers see the tables between two of them, and a
 * killed process leaves them so: a dead entry that hides older ones of its member comes after these.
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

    /** A superfluous entry whose member may have older ones, which are deleted first. */
    private byte @Nullable [] hiding;

    public TableSweep(Retention retention) {
        this.retention = retention;
    }

    /**
     * Reads the next batch.
     *
     * @return keys that may be deleted, possibly none; null at the end of the pass
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
        try (EntryCursor cursor = access.entryCursor(current)) {
            boolean found = begin(cursor, test.last());
            for (int looked = 0; found; looked++) {
                if (keys.size() >= BATCH_KEYS || looked == BATCH_ENTRIES) {
                    return new Batch(current, keys);
                }
                boolean isNeeded = test.test(cursor.key(), cursor.value());
                if (!test.continues()) {
                    takeHiding(keys);
                }
                if (test.hides()) {
                    hiding = copy(cursor.key());
                } else if (!isNeeded) {
                    keys.add(copy(cursor.key()));
                }
                found = cursor.next();
            }
            takeHiding(keys);
        }
        table++;
        need = null;
        return new Batch(current, keys);
    }

    private void takeHiding(List<byte[]> keys) {
        byte[] last = hiding;
        if (last != null) {
            keys.add(last);
            hiding = null;
        }
    }

    /** Moves the cursor after the last entry that was examined, which may have been deleted. */
    private static boolean begin(EntryCursor cursor, KeyBuffer last) {
        if (last.length() == 0) {
            return cursor.first();
        }
        boolean found = cursor.seek(last);
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
     * Deletes entries. Writer thread.
     *
     * @param from index in the batch to begin at
     * @param nanosMax time after which it stops, checked after each entry
     * @return index in the batch after the last entry deleted
     */
    public static int delete(TableAccess access, Batch batch, int from, long nanosMax) {
        long end = System.nanoTime() + nanosMax;
        int at = from;
        while (at < batch.keys().size() && (at == from || System.nanoTime() < end)) {
            byte[] key = batch.keys().get(at++);
            access.removeEntry(batch.table(), access.key().putBytes(key, 0, key.length));
        }
        return at;
    }
}
