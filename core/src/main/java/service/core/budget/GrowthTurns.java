package service.core.budget;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets one request of the process grow large at a time. Of many requests that grow together each would get a part of
 * the memory and none what it needs. Senders and graphs take turns ({@link ClaimQueue}), and the requests of one claim
 * in the order in which they ask. Any thread.
 */
final class GrowthTurns {
    /** How often a request that waits is asked whether it still must go on. */
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();

    private final ClaimQueue<Object, Turn> waiting = new ClaimQueue<>();

    /** It may grow; the others wait. */
    private @Nullable Turn current;

    /** The right to grow, until it is closed. */
    final class Turn implements AutoCloseable {
        @Override
        public void close() {
            lock.lock();
            try {
                if (current == this) {
                    current = waiting.poll();
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
     * @param claim whose the request is
     * @param patienceNanos maximum time to wait
     * @param check called while it waits; may throw to end the request
     * @return null when the turn did not come in time
     */
    @Nullable
    Turn take(Claim<Object> claim, long patienceNanos, Runnable check) {
        Turn mine = new Turn();
        lock.lock();
        try {
            if (current == null) {
                current = mine;
                return mine;
            }
            waiting.add(claim, mine);
            long end = System.nanoTime() + patienceNanos;
            while (current != mine) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    leave(claim, mine);
                    return null;
                }
                long unused = moved.awaitNanos(Math.min(left, CHECK_NANOS));
                check.run();
            }
            return mine;
        } catch (InterruptedException e) {
            leave(claim, mine);
            Thread.currentThread().interrupt();
            return null;
        } catch (RuntimeException e) {
            leave(claim, mine);
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock. */
    private void leave(Claim<Object> claim, Turn mine) {
        if (!waiting.remove(claim, mine)) {
            mine.close();
        }
    }

    /** Requests that have the turn or wait for it. */
    int asked() {
        lock.lock();
        try {
            return waiting.size() + (current == null ? 0 : 1);
        } finally {
            lock.unlock();
        }
    }
}
