package service.log.lmdb;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Stat;

/**
 * Where the bytes of a table are.
 *
 * @param entries number of entries
 * @param bytes of all its pages
 * @param kinds what the pages hold; null when the entries were not read
 */
public record TableBytes(
        String table, long entries, long bytes, @Nullable Kinds kinds) {
    /** Bytes between two calls of the progress. */
    private static final long STEP_BYTES = 16 << 20;

    /**
     * What the pages of a table hold. A value that is too long for a leaf has pages of its own, whose ends are slack.
     *
     * @param keys bytes of keys
     * @param values bytes of values
     * @param structure what LMDB needs to find them: inner pages, page headers, and ten bytes an entry
     * @param slack bytes of pages that hold nothing
     */
    public record Kinds(long keys, long values, long structure, long slack) {}

    private static final int PAGE_HEADER = 16;

    /** The header of an entry and its place in the page. */
    private static final int ENTRY = 8 + 2;

    /** The tables of an environment, largest first. Each is one consistent state, and the file may change between. */
    public static List<TableBytes> of(LmdbEnvironment environment) {
        return of(environment, null);
    }

    /**
     * As {@link #of(LmdbEnvironment)}, with the kinds. Reads every entry.
     *
     * @param progress called with the bytes of pages that were read since the last call
     */
    public static List<TableBytes> read(LmdbEnvironment environment, LongConsumer progress) {
        return of(environment, progress);
    }

    private static List<TableBytes> of(LmdbEnvironment environment, @Nullable LongConsumer progress) {
        List<TableBytes> all = new ArrayList<>();
        environment.tables().forEach((name, table) -> {
            try (ReadTransaction read = environment.read()) {
                Stat stat = table.stat(read.txn());
                long pages = stat.branchPages + stat.leafPages + stat.overflowPages;
                Kinds kinds = progress == null ? null : kinds(read, table, stat, progress);
                all.add(new TableBytes(name, stat.entries, pages * stat.pageSize, kinds));
            }
        });
        all.sort(Comparator.comparingLong(TableBytes::bytes).reversed().thenComparing(TableBytes::table));
        return all;
    }

    private static Kinds kinds(ReadTransaction read, Dbi<DirectBuffer> table, Stat stat, LongConsumer progress) {
        long keys = 0;
        long values = 0;
        long told = 0;
        Cursor<DirectBuffer> cursor = read.cursor(table);
        try {
            PageCursor entries = new PageCursor(cursor, stat.pageSize);
            KeyBuffer lowest = new KeyBuffer().putByte(0);
            for (boolean found = entries.seek(lowest); found; found = entries.next()) {
                keys += entries.keyLength();
                values += entries.valueLength();
                if (keys + values - told > STEP_BYTES) {
                    progress.accept(keys + values - told);
                    told = keys + values;
                }
            }
        } finally {
            read.release(table, cursor);
        }
        progress.accept(keys + values - told);
        long structure = stat.branchPages * stat.pageSize + stat.leafPages * PAGE_HEADER + stat.entries * ENTRY;
        long bytes = (stat.branchPages + stat.leafPages + stat.overflowPages) * stat.pageSize;
        return new Kinds(keys, values, structure, bytes - keys - values - structure);
    }
}
