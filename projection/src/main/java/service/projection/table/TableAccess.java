package service.projection.table;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.LmdbNativeException;
import org.lmdbjava.Txn;
import service.core.error.DamagedDataException;
import service.core.value.Ulid;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.StorageFailure;
import service.projection.temporal.Chain;
import service.projection.temporal.TemporalCursor;

/** The tables in one transaction, and its cursors. Valid during the transaction, on its thread. */
public final class TableAccess {
    /** Off-heap buffers, which are expensive to allocate and therefore reused by later accesses. */
    static final class Tools {
        private final KeyBuffer scratch = new KeyBuffer();
        private final ArrayDeque<KeyBuffer> keys = new ArrayDeque<>();
        private final ArrayDeque<TemporalCursor> cursors = new ArrayDeque<>();
        private final ArrayDeque<NeighbourCursor> neighbours = new ArrayDeque<>();
        private final RunWriter runs = new RunWriter();
        private final UnsafeBuffer id = new UnsafeBuffer(0, 0);
        private final byte[] ulid = new byte[Ulid.TEXT_LENGTH];
    }

    private final Map<ProjectionTable, Dbi<DirectBuffer>> tables;
    private final Map<ProjectionTable, ArrayDeque<Cursor<DirectBuffer>>> idle = new EnumMap<>(ProjectionTable.class);
    private final Txn<DirectBuffer> txn;
    private final @Nullable ReadTransaction read;
    private final int pageBytes;
    private final Tools tools;
    private final Queue<Tools> pool;
    private boolean ended;

    /**
     * Gives access in a transaction.
     *
     * @param pageBytes the size of a page when the transaction reads; 0 when it writes
     */
    TableAccess(
            Map<ProjectionTable, Dbi<DirectBuffer>> tables,
            Txn<DirectBuffer> txn,
            @Nullable ReadTransaction read,
            int pageBytes,
            Queue<Tools> pool) {
        this.tables = tables;
        this.txn = txn;
        this.read = read;
        this.pageBytes = pageBytes;
        this.pool = pool;
        Tools used = pool.poll();
        this.tools = used == null ? new Tools() : used;
    }

    /** The size of a page when the transaction reads; 0 when it writes. */
    public int pageBytes() {
        return pageBytes;
    }

    /** Whether there is such a table; {@link ProjectionTable#ARRIVALS} is missing in tables of an earlier build. */
    boolean has(ProjectionTable table) {
        return tables.containsKey(table);
    }

    /** A key buffer shared by the short operations of this access; its content is lost with the next call. */
    public KeyBuffer key() {
        return tools.scratch.clear();
    }

    /** The id of an ordinal of a row, valid until the next call. */
    DirectBuffer id(OrdinalRow row, int ordinal) {
        row.id(ordinal, tools.id, tools.ulid);
        return tools.id;
    }

    /** A key to keep until {@link #give}. */
    public KeyBuffer takeKey() {
        KeyBuffer key = tools.keys.pollLast();
        return key == null ? new KeyBuffer() : key.clear();
    }

    public void give(KeyBuffer key) {
        if (!ended) {
            tools.keys.addLast(key);
        }
    }

    /** A cursor over a table along a chain; return it with {@link #release}. */
    public TemporalCursor temporal(ProjectionTable table, Chain chain) {
        Cursor<DirectBuffer> cursor = cursor(table);
        TemporalCursor temporal = tools.cursors.pollLast();
        if (temporal == null) {
            return new TemporalCursor(cursor, pageBytes, chain);
        }
        temporal.again(cursor, pageBytes, chain);
        return temporal;
    }

    public void release(ProjectionTable table, TemporalCursor temporal) {
        if (!ended) {
            release(table, temporal.cursor());
            tools.cursors.addLast(temporal);
        }
    }

    /** A cursor over {@code out} or {@code in} along a chain; return it with {@link #release(NeighbourCursor)}. */
    public NeighbourCursor neighbours(ProjectionTable table, Chain chain) {
        Cursor<DirectBuffer> cursor = cursor(table);
        NeighbourCursor neighbours = tools.neighbours.pollLast();
        if (neighbours == null) {
            return new NeighbourCursor(table, cursor, pageBytes, chain);
        }
        neighbours.again(table, cursor, pageBytes, chain);
        return neighbours;
    }

    public void release(NeighbourCursor neighbours) {
        if (!ended) {
            release(neighbours.table(), neighbours.cursor());
            tools.neighbours.addLast(neighbours);
        }
    }

    /** The entries of a table one by one, also of tables of an earlier layout; the caller closes it. */
    @MustBeClosed
    public EntryCursor entryCursor(ProjectionTable table) {
        return switch (table) {
            case IDS -> new IdCursor(this);
            case ORDINALS -> new OrdinalCursor(this);
            case OUT, IN ->
                AppliedTable.isEarlierLayout(this) ? new RowCursor(this, table) : new RunCursor(this, table);
            default -> new RowCursor(this, table);
        };
    }

    /**
     * Begins to put entries; the caller closes it. Ids must be put after their ordinals, except when they are appended.
     *
     * @param append whether all keys to put ascend, and are above those of the table
     */
    @MustBeClosed
    public TableWriter writer(ProjectionTable table, boolean append) {
        return switch (table) {
            case IDS -> new IdWriter(this, append);
            case ORDINALS -> new OrdinalWriter(this, append);
            case OUT, IN -> tools.runs.begin(this, table, true);
            default -> new RowWriter(this, table, append);
        };
    }

    /** Puts an entry, also into a row with others. */
    public void putEntry(ProjectionTable table, DirectBuffer key, DirectBuffer value) {
        switch (table) {
            case IDS, ORDINALS -> {
                try (TableWriter writer = writer(table, false)) {
                    writer.put(key, value);
                }
            }
            case OUT, IN -> {
                try (TableWriter runs = tools.runs.begin(this, table, false)) {
                    runs.put(key, value);
                }
            }
            default -> put(table, key, value);
        }
    }

    /** Removes an entry of a temporal table if it is there, also from a run. */
    public void removeEntry(ProjectionTable table, KeyBuffer key) {
        if (table == ProjectionTable.OUT || table == ProjectionTable.IN) {
            try (RunWriter runs = tools.runs.begin(this, table, false)) {
                runs.remove(key.key());
            }
        } else {
            delete(table, key);
        }
    }

    /** The value, valid until the next get of this transaction, or null. */
    public @Nullable DirectBuffer get(ProjectionTable table, KeyBuffer key) {
        try {
            return dbi(table).get(txn, key.key());
        } catch (LmdbNativeException e) {
            throw unreadable(table, e);
        }
    }

    private static RuntimeException unreadable(ProjectionTable table, LmdbNativeException e) {
        return StorageFailure.isDamage(e)
                ? DamagedDataException.table(table.name().toLowerCase(Locale.ROOT), "a page cannot be read", e)
                : e;
    }

    /** Puts a row. */
    public void put(ProjectionTable table, DirectBuffer key, DirectBuffer value) {
        dbi(table).put(txn, key, value);
    }

    public void delete(ProjectionTable table, KeyBuffer key) {
        dbi(table).delete(txn, key.key());
    }

    public long entries(ProjectionTable table) {
        return dbi(table).stat(txn).entries;
    }

    /** A cursor; return it with {@link #release}. */
    public Cursor<DirectBuffer> cursor(ProjectionTable table) {
        if (read != null) {
            return read.cursor(dbi(table));
        }
        ArrayDeque<Cursor<DirectBuffer>> waiting = idle.get(table);
        Cursor<DirectBuffer> cursor = waiting == null ? null : waiting.pollLast();
        return cursor == null ? dbi(table).openCursor(txn) : cursor;
    }

    public void release(ProjectionTable table, Cursor<DirectBuffer> cursor) {
        if (ended) {
            return;
        }
        if (read != null) {
            read.release(dbi(table), cursor);
        } else {
            idle.computeIfAbsent(table, any -> new ArrayDeque<>(2)).addLast(cursor);
        }
    }

    /** Returns buffers and cursors. Call before the transaction ends; later calls do nothing. */
    public void end() {
        if (!ended) {
            ended = true;
            idle.values().forEach(waiting -> waiting.forEach(Cursor::close));
            idle.clear();
            pool.add(tools);
        }
    }

    private Dbi<DirectBuffer> dbi(ProjectionTable table) {
        Dbi<DirectBuffer> dbi = tables.get(table);
        if (dbi == null) {
            throw new IllegalStateException("no table " + table);
        }
        return dbi;
    }
}
