package service.core.budget;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The heap memory that all requests and caches of a process may hold together, in bytes.
 *
 * <p>The pool counts what its users report; it allocates nothing. A request that finds the pool empty is refused with
 * 503 {@code overloaded}, so that the process refuses work instead of running out of heap (the idea of Trino's
 * {@code MemoryPool}). Before it refuses, the pool asks the caches to give memory back. When the heap itself is nearly
 * full, whatever was reported, {@link #relieve} gives memory back. Any thread.
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

    /** How long the memory of a request that was ended is expected back, before others are ended in its place. */
    private static final long ENDING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long bytesMax;
    private final AtomicLong used = new AtomicLong();
    private final List<Reclaimer> reclaimers = new CopyOnWriteArrayList<>();
    private final List<LongSupplier> spares = new CopyOnWriteArrayList<>();
    private final Set<MemoryAccount> large = ConcurrentHashMap.newKeySet();
    private final MemoryShares sharesOfSenders;
    private final MemoryShares sharesOfGraphs;
    private final GrowthTurns turns = new GrowthTurns();
    private volatile Runnable check = () -> {};

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
        this.sharesOfSenders = new MemoryShares(requestBytesMax());
        this.sharesOfGraphs = new MemoryShares(bytesMax - bytesMax / 8);
    }

    /** Registers a cache. Caches live as long as the pool, so they are never removed. */
    public void addReclaimer(Reclaimer reclaimer) {
        reclaimers.add(reclaimer);
    }

    /**
     * Registers memory beside the pool that the process can do without, such as copies of what is on disk.
     *
     * @param drop drops it and returns the number of bytes; called by {@link #relieve}
     */
    public void addSpare(LongSupplier drop) {
        spares.add(drop);
    }

    /**
     * Sets what checks the heap before a large request grows.
     *
     * @param check called on the thread of that request, once for each {@link MemoryAccount#STEP_BYTES} that it takes;
     *     calls {@link #relieve} when the heap is nearly full
     */
    public void checkBeforeGrowth(Runnable check) {
        this.check = check;
    }

    void check() {
        check.run();
    }

    /** What the listed accounts of each sender have reserved. */
    MemoryShares sharesOfSenders() {
        return sharesOfSenders;
    }

    /** What those for each graph have reserved: more than one sender may have, so that it leaves some to the others. */
    MemoryShares sharesOfGraphs() {
        return sharesOfGraphs;
    }

    /** The turns of requests that grow large. */
    GrowthTurns turns() {
        return turns;
    }

    /** Lists an account among those that hold much. */
    void list(MemoryAccount account) {
        large.add(account);
    }

    void unlist(MemoryAccount account) {
        large.remove(account);
    }

    /**
     * What {@link #relieve} did.
     *
     * @param droppedBytes of caches
     * @param ended number of requests
     * @param endedBytes charged to them
     */
    public record Relief(long droppedBytes, int ended, long endedBytes) {}

    /** Drops everything that the process can do without, and returns the bytes that it held. */
    private long dropCaches() {
        long before = used.get();
        for (Reclaimer reclaimer : reclaimers) {
            reclaimer.reclaim(bytesMax);
        }
        long dropped = Math.max(0, before - used.get());
        for (LongSupplier spare : spares) {
            dropped += spare.getAsLong();
        }
        return dropped;
    }

    /**
     * Gives memory back because the heap is nearly full: drops the caches, and, when they held less, ends the requests
     * with the largest charges, one after the other, until they have held as much. A request ends at its next charge or
     * checkpoint, so its memory comes back some milliseconds later.
     *
     * @param bytes to be given back; those of requests that were ended within the last second count
     * @param heapBytesMax of the JVM: a request with more than half of it is too large, others may succeed later
     * @param endedMin requests that hold less go on
     */
    public synchronized Relief relieve(long bytes, long heapBytesMax, long endedMin) {
        long dropped = dropCaches();
        long missing = bytes - dropped;
        long endedSince = System.nanoTime() - ENDING_NANOS;
        for (MemoryAccount account : large) {
            missing -= account.endingBytes(endedSince);
        }
        int ended = 0;
        long endedBytes = 0;
        for (MemoryAccount account : largest()) {
            if (missing <= 0 || account.used() < endedMin) {
                break;
            }
            long held = account.end(heapBytesMax / 2);
            missing -= held;
            endedBytes += held;
            ended++;
        }
        return new Relief(dropped, ended, endedBytes);
    }

    /** The listed accounts that were not ended, by what they hold now, the largest first. */
    private List<MemoryAccount> largest() {
        record Held(MemoryAccount account, long bytes) {}
        return large.stream()
                .filter(account -> !account.wasEnded())
                .map(account -> new Held(account, account.used()))
                .sorted(Comparator.comparingLong(Held::bytes).reversed())
                .map(Held::account)
                .toList();
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
