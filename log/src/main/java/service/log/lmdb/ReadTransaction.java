package service.log.lmdb;

import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Txn;

/**
 * A consistent read of an environment, taken from a pool. Belongs to the thread that took it: two threads in one
 * transaction read wrong values without an exception. The next get of the transaction overwrites a value buffer, and
 * {@link #close} invalidates it.
 */
public final class ReadTransaction implements AutoCloseable {
    private final ReadPool pool;
    private final Txn<DirectBuffer> txn;
    private final IdentityHashMap<Dbi<DirectBuffer>, ArrayDeque<Cursor<DirectBuffer>>> cursors =
            new IdentityHashMap<>();
    private @Nullable Thread owner;
    long startedNanos;

    @Nullable
    ReadTransaction older;

    @Nullable
    ReadTransaction younger;

    ReadTransaction(ReadPool pool, Txn<DirectBuffer> txn) {
        this.pool = pool;
        this.txn = txn;
    }

    /** The transaction itself, for gets and cursors; never commit, reset or close it. */
    public Txn<DirectBuffer> txn() {
        if (!Thread.currentThread().equals(owner)) {
            throw new IllegalStateException(
                    owner == null
                            ? "the read is closed"
                            : "the read belongs to " + owner + ", not " + Thread.currentThread());
        }
        return txn;
    }

    public @Nullable DirectBuffer get(Dbi<DirectBuffer> table, DirectBuffer key) {
        return table.get(txn(), key);
    }

    /**
     * A cursor on the table, to be given back with {@link #release} before this read is closed. Cheaper than opening
     * one.
     */
    public Cursor<DirectBuffer> cursor(Dbi<DirectBuffer> table) {
        Txn<DirectBuffer> current = txn();
        ArrayDeque<Cursor<DirectBuffer>> idle = cursors.get(table);
        Cursor<DirectBuffer> cursor = idle == null ? null : idle.pollLast();
        if (cursor == null) {
            return table.openCursor(current);
        }
        cursor.renew(current);
        return cursor;
    }

    public void release(Dbi<DirectBuffer> table, Cursor<DirectBuffer> cursor) {
        cursors.computeIfAbsent(table, any -> new ArrayDeque<>()).addLast(cursor);
    }

    public long ageNanos() {
        return System.nanoTime() - startedNanos;
    }

    /** Returns the read to the pool; later calls do nothing. */
    @Override
    public void close() {
        if (owner != null) {
            owner = null;
            pool.giveBack(this);
        }
    }

    void lend(Thread thread, long nanos) {
        owner = thread;
        startedNanos = nanos;
    }

    void renew() {
        txn.renew();
    }

    void reset() {
        txn.reset();
    }

    /**
     * Ends the transaction for good. It must not be reset: a reset transaction that is closed keeps its reader slot.
     */
    void end() {
        cursors.values().forEach(idle -> idle.forEach(Cursor::close));
        cursors.clear();
        txn.close();
    }
}
