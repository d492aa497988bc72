package service.core.budget;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets one request of the process grow large at a time. Of many requests that grow together each would get a part of
 * the memory and none what it needs. Requests take turns in the order in which they ask. Any thread.
 */
final class GrowthTurns {
    /** How often a request that waits is asked whether it still must go on. */
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();

    /** The first one may grow; the others wait. */
    private final ArrayDeque<Turn> queue = new ArrayDeque<>();

    /** The right to grow, until it is closed. */
    final class Turn implements AutoCloseable {
        @Override
        public void close() {
            lock.lock();
            try {
                if (queue.remove(this)) {
                    moved.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Waits for the turn.
     *
     * @param patienceNanos maximum time to wait
     * @param check called while it waits; may throw to end the request
     * @return null when the turn did not come in time
     */
    @Nullable
    Turn take(long patienceNanos, Runnable check) {
        Turn mine = new Turn();
        lock.lock();
        try {
            queue.addLast(mine);
            long end = System.nanoTime() + patienceNanos;
            while (queue.getFirst() != mine) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    queue.remove(mine);
                    return null;
                }
                long unused = moved.awaitNanos(Math.min(left, CHECK_NANOS));
                check.run();
            }
            return mine;
        } catch (InterruptedException e) {
            mine.close();
            Thread.currentThread().interrupt();
            return null;
        } catch (RuntimeException e) {
            mine.close();
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** Requests that have the turn or wait for it. */
    int asked() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }
}
