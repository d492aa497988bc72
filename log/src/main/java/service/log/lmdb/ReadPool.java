package service.log.lmdb;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Env;
import org.lmdbjava.LmdbException;
import service.core.budget.NoWaiting;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;

/**
 * The read transactions of one environment. Reuses reset transactions, knows the age of the oldest open one, and blocks
 * new reads while the map moves. Any thread; one short lock, taken at the start and the end of a read.
 */
final class ReadPool {
    /** Number of idle transactions kept; further ones release their reader slot. */
    static final int IDLE_MAX = 64;

    private final Env<DirectBuffer> env;
    private final Path directory;
    private final Duration wait;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<ReadTransaction> idle = new ArrayDeque<>();
    private @Nullable ReadTransaction oldest;
    private @Nullable ReadTransaction youngest;
    private int open;
    private boolean shut;
    private boolean closed;

    ReadPool(Env<DirectBuffer> env, Path directory, Duration wait) {
        this.env = env;
        this.directory = directory;
        this.wait = wait;
    }

    /**
     * Waits while the map moves, but not on a thread that must not ({@link NoWaiting}). Throws MAP_RESIZED when another
     * process has enlarged the map, and a ServiceException OVERLOADED when all reader slots are taken.
     */
    ReadTransaction take() {
        lock.lock();
        try {
            awaitUnshut();
            ReadTransaction read = idle.pollLast();
            if (read == null) {
                read = new ReadTransaction(this, env.txnRead());
            } else {
                read.renew();
            }
            read.lend(Thread.currentThread(), System.nanoTime());
            link(read);
            return read;
        } catch (LmdbException e) {
            StorageFailure failure = StorageFailure.of(e, directory);
            if (failure.kind() == StorageFailure.Kind.READERS_FULL) {
                // The request is refused; the storage itself works.
                throw new ServiceException(
                        ErrorCode.OVERLOADED, "every reader slot of the graph is taken; try again in a second");
            }
            throw failure;
        } finally {
            lock.unlock();
        }
    }

    void giveBack(ReadTransaction read) {
        lock.lock();
        try {
            unlink(read);
            if (idle.size() < IDLE_MAX) {
                read.reset();
                idle.addLast(read);
            } else {
                read.end();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Runs the action while no read is open and none can begin. */
    void alone(Runnable action) {
        lock.lock();
        try {
            awaitUnshut();
            shut = true;
            try {
                awaitNoReads();
                action.run();
            } finally {
                shut = false;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the open reads, then ends all transactions. If reads stay open it throws READERS_BUSY, and can be
     * called again.
     */
    void close() {
        alone(() -> {
            for (ReadTransaction read = idle.pollLast(); read != null; read = idle.pollLast()) {
                read.renew();
                read.end();
            }
            closed = true;
        });
    }

    int openReads() {
        lock.lock();
        try {
            return open;
        } finally {
            lock.unlock();
        }
    }

    long oldestAgeNanos() {
        lock.lock();
        try {
            return oldest == null ? 0 : oldest.ageNanos();
        } finally {
            lock.unlock();
        }
    }

    private void awaitUnshut() {
        await(() -> !shut || closed);
        if (closed) {
            throw new ServiceException(ErrorCode.SHUTTING_DOWN, directory + " is closed");
        }
    }

    private void awaitNoReads() {
        await(() -> open == 0);
    }

    private void await(BooleanSupplier reached) {
        long nanos = wait.toNanos();
        try {
            while (!reached.getAsBoolean()) {
                NoWaiting.giveUp();
                if (nanos <= 0) {
                    throw new StorageFailure(
                            StorageFailure.Kind.READERS_BUSY,
                            directory + ": " + open + " reads still open after " + wait);
                }
                nanos = changed.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageFailure(
                    StorageFailure.Kind.READERS_BUSY, directory + ": interrupted while waiting for reads", e);
        }
    }

    private void link(ReadTransaction read) {
        open++;
        read.older = youngest;
        read.younger = null;
        if (youngest == null) {
            oldest = read;
        } else {
            youngest.younger = read;
        }
        youngest = read;
    }

    private void unlink(ReadTransaction read) {
        open--;
        if (read.older == null) {
            oldest = read.younger;
        } else {
            read.older.younger = read.younger;
        }
        if (read.younger == null) {
            youngest = read.older;
        } else {
            read.younger.older = read.older;
        }
    }
}
