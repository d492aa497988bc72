package service.log.lmdb;

import org.agrona.DirectBuffer;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;

/**
 * The one open write transaction of an environment; belongs to the thread that began it. Closing it without a commit
 * aborts it. After MAP_FULL it can only be closed: close it, {@link LmdbEnvironment#grow grow}, begin again.
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
     * Runs work in the transaction on the calling thread, instead of its owner. LMDB requires one thread for the begin
     * and the end of a write, and one thread at a time in between. The owner starts the calling thread and must not use
     * the transaction until that thread has ended.
     */
    public void borrow(Runnable work) {
        if (!user.equals(owner)) {
            throw new IllegalStateException("the write is used by " + user);
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
            environment.committed();
            environment.hook().afterCommit(environment.directory());
        } catch (LmdbException e) {
            environment.outcomeUnknown();
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
