package service.core.budget;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The heap memory that all requests and caches of a process may hold together, in bytes.
 *
 * <p>The pool counts estimates that its users report; it allocates nothing. A request that finds the pool empty is
 * refused with 503 {@code overloaded}, so that the process refuses work instead of running out of heap (the idea of
 * Trino's {@code MemoryPool}). Before it refuses, the pool asks the caches to give memory back. Any thread.
 */
public final class MemoryPool {
    /** A cache that charges the pool and can shrink. */
    @FunctionalInterface
    public interface Reclaimer {
        /**
         * Drops entries and releases their bytes to the pool. Called on the thread of a request that found the pool
         * empty; must not block and must not charge the pool.
         *
         * @param bytes the number of missing bytes; more or less may be released
         */
        void reclaim(long bytes);
    }

    private final long bytesMax;
    private final AtomicLong used = new AtomicLong();
    private final List<Reclaimer> reclaimers = new CopyOnWriteArrayList<>();

    /**
     * Makes an empty pool.
     *
     * @param bytesMax the limit, at least 1
     */
    public MemoryPool(long bytesMax) {
        if (bytesMax < 1) {
            throw new IllegalArgumentException("a pool holds at least one byte, not " + bytesMax);
        }
        this.bytesMax = bytesMax;
    }

    /** Registers a cache. Caches live as long as the pool, so they are never removed. */
    public void addReclaimer(Reclaimer reclaimer) {
        reclaimers.add(reclaimer);
    }

    /**
     * Takes bytes out of the pool. When the pool is empty, it first asks the caches for memory.
     *
     * @return false when the pool does not have them; then none are taken
     */
    public boolean tryReserve(long bytes) {
        if (take(bytes)) {
            return true;
        }
        if (bytes > bytesMax) {
            return false;
        }
        for (Reclaimer reclaimer : reclaimers) {
            reclaimer.reclaim(used.get() + bytes - bytesMax);
            if (take(bytes)) {
                return true;
            }
        }
        return false;
    }

    /** Takes bytes only if they are free now. For caches, which must not drop entries of others to grow. */
    public boolean tryReserveFree(long bytes) {
        return take(bytes);
    }

    private boolean take(long bytes) {
        long before;
        do {
            before = used.get();
            if (bytes > bytesMax - before) {
                return false;
            }
        } while (!used.compareAndSet(before, before + bytes));
        return true;
    }

    /** Returns reserved bytes. */
    public void release(long bytes) {
        long left = used.addAndGet(-bytes);
        assert left >= 0 : "more was released than reserved: " + left;
    }

    /** Bytes reserved now. */
    public long used() {
        return used.get();
    }

    /** The limit in bytes. */
    public long bytesMax() {
        return bytesMax;
    }

    /**
     * The limit of one request in bytes: three quarters of the pool. A request above it is too large even for an idle
     * process, in which caches and waiting connections hold the rest.
     */
    public long requestBytesMax() {
        return bytesMax - bytesMax / 4;
    }
}
