package service.core.budget;

import java.util.concurrent.atomic.AtomicLong;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;

/**
 * The heap memory of one request, in bytes: its share of the {@link MemoryPool}.
 *
 * <p>The account reserves from the pool in steps of up to {@link #STEP_BYTES}, so that small charges touch only the
 * account. {@link #close} returns everything; a charge after it is refused, so that a late thread cannot leak pool
 * memory. Any thread.
 */
public final class MemoryAccount implements AutoCloseable {
    /**
     * Maximum bytes reserved in advance; a small account reserves a quarter of its bytes, so that waiting requests hold
     * little.
     */
    static final long STEP_BYTES = 64 << 10;

    private static final long STEP_BYTES_MIN = 256;

    private final MemoryPool pool;
    private final AtomicLong used = new AtomicLong();
    private volatile long reserved;
    private boolean closed;

    MemoryAccount(MemoryPool pool) {
        this.pool = pool;
    }

    /**
     * Charges bytes to the request.
     *
     * @param holder the holder of the bytes in a refusal: "the query"
     * @param remedy what the caller can do when the request alone is too large
     * @throws ServiceException RESOURCE_LIMIT when the request alone needs more than
     *     {@link MemoryPool#requestBytesMax}; OVERLOADED when the process has too little free memory now. Nothing is
     *     charged then
     */
    public void charge(long bytes, String holder, String remedy) {
        long total = used.addAndGet(bytes);
        long max = pool.requestBytesMax();
        if (total > max) {
            used.addAndGet(-bytes);
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    holder + " needs more than " + max
                            + " bytes, three quarters of the memory that all requests share: " + remedy,
                    new ErrorDetail.ResourceLimit("memory_bytes", max, total));
        }
        if (total > reserved && !reserve()) {
            used.addAndGet(-bytes);
            throw new ServiceException(
                    ErrorCode.OVERLOADED,
                    "the server has no memory free for " + holder + " at the moment; try again in a second");
        }
    }

    /** Releases bytes that the request does not hold any more. */
    public void release(long bytes) {
        used.addAndGet(-bytes);
    }

    /** The limit of the pool that the account reserves from, in bytes. */
    public long poolBytesMax() {
        return pool.bytesMax();
    }

    /** Bytes charged now. */
    public long used() {
        return used.get();
    }

    /** Reserves the charged bytes that are not reserved yet; false when the pool does not have them. */
    private synchronized boolean reserve() {
        if (closed) {
            throw new IllegalStateException("the request is over");
        }
        long missing = used.get() - reserved;
        if (missing <= 0) {
            return true;
        }
        long step = Math.max(missing, Math.clamp(used.get() / 4, STEP_BYTES_MIN, STEP_BYTES));
        if (pool.tryReserve(step)) {
            reserved += step;
            return true;
        }
        if (pool.tryReserve(missing)) {
            reserved += missing;
            return true;
        }
        return false;
    }

    /** Returns all bytes to the pool. Later calls do nothing. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            pool.release(reserved);
            reserved = 0;
        }
    }
}
