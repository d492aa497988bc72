package service.projection.table;

import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Txn;
import service.log.lmdb.ReadTransaction;
import service.projection.temporal.Key;

/**
 * The tables as one transaction sees them, and its cursors. Lives as long as the transaction, on
 * its thread.
 */
public final class TableAccess {
    private final Map<ProjectionTable, Dbi<DirectBuffer>> tables;
    private final Map<ProjectionTable, ArrayDeque<Cursor<DirectBuffer>>> idle =
            new EnumMap<>(ProjectionTable.class);
    private final Txn<DirectBuffer> txn;
    private final @Nullable ReadTransaction read;
    private final Key scratch = new Key();

    TableAccess(
            Map<ProjectionTable, Dbi<DirectBuffer>> tables,
            Txn<DirectBuffer> txn,
            @Nullable ReadTransaction read) {
        this.tables = tables;
        this.txn = txn;
        this.read = read;
    }

    /**
     * A key to build in, shared by the short operations of this access: never keep it over a call.
     */
    public Key key() {
        return scratch.clear();
    }

    /** The value, good until the next get of this transaction, or null. */
    public @Nullable DirectBuffer get(ProjectionTable table, Key key) {
        return dbi(table).get(txn, key.written());
    }

    public void put(ProjectionTable table, DirectBuffer key, DirectBuffer value) {
        dbi(table).put(txn, key, value);
    }

    public void delete(ProjectionTable table, Key key) {
        dbi(table).delete(txn, key.written());
    }

    public long entries(ProjectionTable table) {
        return dbi(table).stat(txn).entries;
    }

    /** A cursor, to be given back with {@link #release}. */
    public Cursor<DirectBuffer> cursor(ProjectionTable table) {
        if (read != null) {
            return read.cursor(dbi(table));
        }
        ArrayDeque<Cursor<DirectBuffer>> waiting = idle.get(table);
        Cursor<DirectBuffer> cursor = waiting == null ? null : waiting.pollLast();
        return cursor == null ? dbi(table).openCursor(txn) : cursor;
    }

    public void release(ProjectionTable table, Cursor<DirectBuffer> cursor) {
        if (read != null) {
            read.release(dbi(table), cursor);
        } else {
            idle.computeIfAbsent(table, any -> new ArrayDeque<>(2)).addLast(cursor);
        }
    }

    /** Lets go of the cursors of a write: to be called before the transaction ends. */
    public void end() {
        idle.values().forEach(waiting -> waiting.forEach(Cursor::close));
        idle.clear();
    }

    private Dbi<DirectBuffer> dbi(ProjectionTable table) {
        Dbi<DirectBuffer> dbi = tables.get(table);
        if (dbi == null) {
            throw new IllegalStateException("no table " + table);
        }
        return dbi;
    }
}
