package service.projection.apply;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.SeekOp;
import service.core.lifecycle.SideThread;
import service.core.lifecycle.Uninterrupted;
import service.log.lmdb.MappedBytes;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;
import service.projection.table.TableWriter;

/**
 * Collects entries off the heap and puts them in key order. A B+ tree takes sorted entries many times faster than
 * unsorted ones, because each page is visited once. Of entries with equal keys the last one is kept. Reused after each
 * flush.
 */
final class SortedPuts implements Puts, AutoCloseable {
    private static final long TWO_THREADS_BYTES_MIN = 1 << 20;

    /** Entries whose lengths are read together, because the processor waits for memory once for several such reads. */
    private static final int AHEAD = 32;

    private final Map<ProjectionTable, EntryRun> runs = new EnumMap<>(ProjectionTable.class);
    private final UnsafeBuffer key = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer value = new UnsafeBuffer(0, 0);
    private final long[] keys = new long[AHEAD];
    private final int[] lengths = new int[AHEAD];
    private TableAccess access;

    SortedPuts(TableAccess access) {
        this.access = access;
    }

    /** Continues in another transaction; no entry may be waiting. */
    void into(TableAccess next) {
        this.access = next;
    }

    @Override
    public void put(ProjectionTable table, DirectBuffer newKey, DirectBuffer newValue) {
        EntryRun run = runs.get(table);
        if (run == null) {
            run = new EntryRun();
            runs.put(table, run);
        }
        run.add(newKey, newValue);
    }

    /** Bytes waiting. */
    long bytes() {
        long bytes = 0;
        for (EntryRun run : runs.values()) {
            bytes += run.bytes();
        }
        return bytes;
    }

    /**
     * A second thread sorts large runs, beginning with the last table, while this thread sorts and puts the runs from
     * the first table on. Each run is sorted by the thread that reaches it first.
     */
    @Override
    public void flush() {
        Map<ProjectionTable, FutureTask<int[]>> sorts = new EnumMap<>(ProjectionTable.class);
        List<FutureTask<int[]>> backwards = new ArrayList<>();
        runs.forEach((table, run) -> {
            if (run.size() > 0) {
                FutureTask<int[]> sort = new FutureTask<>(run::sorted);
                sorts.put(table, sort);
                backwards.addFirst(sort);
            }
        });
        SideThread side =
                bytes() < TWO_THREADS_BYTES_MIN ? null : SideThread.start(() -> backwards.forEach(FutureTask::run));
        try {
            sorts.forEach((table, sort) -> {
                sort.run();
                flush(table, Objects.requireNonNull(runs.get(table)), result(sort));
            });
        } finally {
            if (side != null) {
                side.await();
            }
        }
    }

    private static int[] result(FutureTask<int[]> sort) {
        try {
            return Uninterrupted.get(sort::get);
        } catch (ExecutionException e) {
            throw new IllegalStateException("entries cannot be sorted", e);
        }
    }

    private void flush(ProjectionTable table, EntryRun run, int[] sorted) {
        try (TableWriter writer = access.writer(table, isAfterAll(table, run, sorted[0]))) {
            for (int from = 0; from < sorted.length; from += AHEAD) {
                int to = Math.min(from + AHEAD, sorted.length);
                run.keys(sorted, from, to, keys, lengths);
                for (int i = 0; i < to - from; i++) {
                    key.wrap(keys[i], lengths[i]);
                    EntryRun.value(keys[i], lengths[i], value);
                    writer.put(key, value);
                }
            }
        }
        run.clear();
    }

    private boolean isAfterAll(ProjectionTable table, EntryRun run, int least) {
        Cursor<DirectBuffer> cursor = access.cursor(table);
        try {
            if (!cursor.seek(SeekOp.MDB_LAST)) {
                return true;
            }
            DirectBuffer last = cursor.key();
            return MappedBytes.compare(last.addressOffset(), last.capacity(), run.key(least), run.keyLength(least)) < 0;
        } finally {
            access.release(table, cursor);
        }
    }

    @Override
    public void close() {
        runs.values().forEach(EntryRun::close);
        runs.clear();
    }
}
