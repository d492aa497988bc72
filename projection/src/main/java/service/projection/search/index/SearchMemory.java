package service.projection.search.index;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import service.core.budget.MemoryPool;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.CacheGauges;

/**
 * The heap that searches of all graphs of a process keep for later searches: what they learned of views and of
 * segments. It is taken out of the pool of the process. When it is full, or when requests need the memory, what was not
 * used for longest is forgotten; what a search uses stays until it has ended.
 *
 * <p>Any thread. It calls {@link Learned#drop} under its lock, so a holder takes no lock there that it holds when it
 * calls this.
 */
public final class SearchMemory {
    /** Something that can be learned again. The fields belong to the memory. */
    abstract static class Learned {
        private long bytes;
        private int users;
        private boolean isForgotten;

        /** Lets everything go that was charged for it. */
        abstract void drop();
    }

    private static final int BUFFER_PART = 16;
    private static final long BUFFER_BYTES_MIN = 64 << 10;
    private static final long BUFFER_BYTES_MAX = 16 << 20;

    private final MemoryPool pool;
    private final long bytesMax;

    /** Those that hold bytes, the one first that was not used for longest. */
    private final SequencedSet<Learned> kept = new LinkedHashSet<>();

    private long bytes;
    private long hits;
    private long misses;

    /** @param bytesMax for all that no search uses at the moment */
    public SearchMemory(MemoryPool pool, long bytesMax) {
        this.pool = pool;
        this.bytesMax = bytesMax;
        pool.addReclaimer(this::reclaim);
    }

    /** The most that one search should try to keep. */
    long bytesMax() {
        return bytesMax;
    }

    /** A view was looked for, and found or not. */
    synchronized void asked(boolean found) {
        hits += found ? 1 : 0;
        misses += found ? 0 : 1;
    }

    /** What is kept of views and segments, and how often a search found its view. */
    public synchronized CacheGauges gauges() {
        return new CacheGauges(kept.size(), hits, misses);
    }

    /** Bytes that are kept. */
    public synchronized long used() {
        return bytes;
    }

    /** Keeps something from being forgotten; false when it is forgotten already. The caller gives it back. */
    synchronized boolean take(Learned learned) {
        if (learned.isForgotten) {
            return false;
        }
        learned.users++;
        kept.addLast(learned);
        return true;
    }

    /** Ends a {@link #take}. */
    synchronized void give(Learned learned) {
        learned.users--;
        if (learned.users == 0 && learned.isForgotten) {
            release(learned);
        }
        shrinkTo(bytesMax);
    }

    /**
     * Takes memory for something that is being learned, before it is allocated. It may be more than is kept between
     * searches.
     *
     * @param learned was taken
     * @return false when the process has none
     */
    boolean need(Learned learned, long more) {
        // Outside of the lock, because the pool may ask this memory to shrink.
        if (!pool.tryReserve(more)) {
            return false;
        }
        add(learned, more);
        return true;
    }

    /** Takes memory without which a search that has begun cannot go on. */
    void require(Learned learned, long more) {
        if (!need(learned, more)) {
            throw new ServiceException(
                    ErrorCode.OVERLOADED,
                    "the server has no memory free for the search at the moment; try again in a second");
        }
    }

    /** The buffer of an index that is written: small where the pool of the process is. */
    long bufferBytes() {
        return Math.clamp(pool.bytesMax() / BUFFER_PART, BUFFER_BYTES_MIN, BUFFER_BYTES_MAX);
    }

    /**
     * Heap that an index takes while it is written: the buffer, and as much again, because Lucene ends a buffer after
     * the document that fills it, and gives it to the disk in pieces.
     */
    long writingBytes() {
        return 2 * bufferBytes();
    }

    /** Takes memory of the process for work that can wait; false when there is none. */
    boolean tryReserve(long more) {
        return pool.tryReserve(more);
    }

    /** Ends a {@link #tryReserve}. */
    void release(long fewer) {
        pool.release(fewer);
    }

    private synchronized void add(Learned learned, long more) {
        learned.bytes += more;
        bytes += more;
    }

    /** Takes memory for something that is worth keeping; false when there is no room for it. */
    synchronized boolean grow(Learned learned, long more) {
        if (learned.isForgotten || more > bytesMax) {
            return false;
        }
        shrinkTo(bytesMax - more);
        if (bytes + more > bytesMax || !pool.tryReserveFree(more)) {
            return false;
        }
        add(learned, more);
        kept.addLast(learned);
        return true;
    }

    /** Gives bytes back that something does not hold any more. */
    synchronized void less(Learned learned, long fewer) {
        learned.bytes -= fewer;
        bytes -= fewer;
        pool.release(fewer);
    }

    /** Forgets something: at once, or when the last search that uses it has ended. */
    synchronized void forget(Learned learned) {
        learned.isForgotten = true;
        if (learned.users == 0) {
            release(learned);
        }
    }

    private synchronized void reclaim(long wanted) {
        shrinkTo(Math.max(0, bytes - wanted));
    }

    private void shrinkTo(long most) {
        if (bytes <= most) {
            return;
        }
        List<Learned> unused = new ArrayList<>();
        long left = bytes;
        for (Learned each : kept) {
            if (each.users == 0 && left > most) {
                left -= each.bytes;
                unused.add(each);
            }
        }
        unused.forEach(this::release);
    }

    private void release(Learned learned) {
        learned.drop();
        kept.remove(learned);
        bytes -= learned.bytes;
        pool.release(learned.bytes);
        learned.bytes = 0;
    }
}
