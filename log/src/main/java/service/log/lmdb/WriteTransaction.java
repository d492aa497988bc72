package service.log.lmdb;

import org.agrona.DirectBuffer;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;

/**
 * The one open write transaction of an environment; belongs to the thread that began it. Closing it without a commit
 * aborts it. After a MAP_FULL it is spoiled: close it, {@link LmdbEnvironment#grow grow}, begin again.
 */
public final class WriteTransaction implements AutoCloseable {
    private final LmdbEnvironment environment;
    private final Txn<DirectBuffer> txn;
    private final Thread owner = Thread.currentThread();
    private volatile Thread user = owner;
    private boolean done;

    WriteTransaction(LmdbEnvironment environment, Txn<DirectBuffer> txn) {
        this.environment = environment;
        this.txn = txn;
    }

    /** The transaction itself, for gets, puts and cursors; never commit or close it. */
    public Txn<DirectBuffer> txn() {
        if (done || !user.equals(Thread.currentThread())) {
            throw new IllegalStateException(
                    done ? "the write is over" : "the write belongs to " + user + ", not " + Thread.currentThread());
        }
        return txn;
    }

    /**
     * Lets the calling thread do a piece of work in the transaction, in place of its owner: LMDB ties the beginning and
     * the end of a write to one thread, what is between only to one at a time. The owner starts that thread and waits
     * for its end; until then the transaction is closed to it.
     */
    public void borrow(Runnable work) {
        if (!user.equals(owner)) {
            throw new IllegalStateException("the write is lent to " + user);
        }
        user = Thread.currentThread();
        try {
            work.run();
        } finally {
            user = owner;
        }
    }

    /**
     * Makes the transaction's work visible and, in a synced environment, durable. The transaction is over even when
     * this throws.
     */
    public void commit() {
        Txn<DirectBuffer> current = txn();
        try {
            environment.hook().beforeCommit(environment.directory());
            current.commit();
            environment.hook().afterCommit(environment.directory());
        } catch (LmdbException e) {
            throw StorageFailure.of(e, environment.directory());
        } finally {
            close();
        }
    }

    /** Aborts unless committed; a second call does nothing. */
    @Override
    public void close() {
        if (!done) {
            txn();
            done = true;
            txn.close();
            environment.writeEnded(this);
        }
    }

    Thread owner() {
        return owner;
    }
}
