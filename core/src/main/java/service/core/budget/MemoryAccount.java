package service.core.budget;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
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

    /** Of the pool: a request with more than this part waits for its turn to grow, if it can wait. */
    private static final int GROWN_PART = 32;

    private static final long TURN_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

    private final MemoryPool pool;
    private final AtomicLong used = new AtomicLong();
    private volatile long reserved;
    private boolean listed;

    /** Whose the request is. Without {@link #belongTo} it is its own sender and graph. */
    private volatile Claim<Object> claim = new Claim<>(this, this);

    private boolean senderIsBounded;
    private boolean graphIsBounded;

    /** The reserved bytes that count against the shares. */
    private long shared;

    private boolean closed;

    /** Whether the request has asked for a turn to grow. Used by its own thread alone. */
    private boolean turnAsked;

    private volatile GrowthTurns.@Nullable Turn turn;

    /** Why the request ends; null while it may go on, and again when it was told. */
    private volatile @Nullable ServiceException end;

    /** When {@link #end} was called, on {@link System#nanoTime}'s clock; 0 before. */
    private volatile long endedNanos;

    MemoryAccount(MemoryPool pool) {
        this.pool = pool;
    }

    /**
     * Charges bytes to the request.
     *
     * @param forWhat what holds the bytes, in a refusal: "the query"
     * @param remedy what the caller can do when the request alone is too large
     * @throws ServiceException RESOURCE_LIMIT when the request alone needs more than
     *     {@link MemoryPool#requestBytesMax}; OVERLOADED when the process has too little free memory now; either when
     *     the request was ended because the heap is full. Nothing is charged then
     */
    public void charge(long bytes, String forWhat, String remedy) {
        long wanted = used.get() + bytes;
        if (wanted > reserved && wanted >= STEP_BYTES) {
            pool.check();
        }
        requireGoingOn();
        long total = used.addAndGet(bytes);
        long max = pool.requestBytesMax();
        if (total > max) {
            used.addAndGet(-bytes);
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    forWhat + " needs more than " + max
                            + " bytes, three quarters of the memory that all requests share: " + remedy,
                    new ErrorDetail.ResourceLimit("memory_bytes", max, total));
        }
        if (total > reserved) {
            Reserved outcome = reserve();
            if (outcome != Reserved.YES) {
                used.addAndGet(-bytes);
                throw new ServiceException(
                        ErrorCode.OVERLOADED,
                        switch (outcome) {
                            case YES -> throw new IllegalStateException();
                            case POOL_EMPTY ->
                                "the server has no memory free for " + forWhat
                                        + " at the moment; try again in a second";
                            case SENDERS_SHARE_TAKEN ->
                                "no memory is left for " + forWhat
                                        + ": your requests together have three quarters of what all requests share;"
                                        + " read their answers, and try again when they have ended";
                            case GRAPHS_SHARE_TAKEN ->
                                "no memory is left for " + forWhat
                                        + ": the requests for this graph together have seven eighths of what all"
                                        + " requests share; try again in a second";
                        });
            }
        }
    }

    /** Whether the request holds so much that {@link #growInTurn} is due. */
    boolean isLarge() {
        return !turnAsked && used.get() > pool.bytesMax() / GROWN_PART;
    }

    /**
     * Waits, for a limited time, until no other request grows large; then this one may until it is closed. Without the
     * turn it goes on, and may find the pool empty.
     *
     * @param check called while it waits; may throw to end the request
     */
    void growInTurn(Runnable check) {
        turnAsked = true;
        turn = pool.turns().take(claim, TURN_NANOS_MAX, check);
    }

    private enum Reserved {
        YES,
        POOL_EMPTY,
        SENDERS_SHARE_TAKEN,
        GRAPHS_SHARE_TAKEN
    }

    /**
     * Says whose the request is. What it holds already counts against the new shares as far as they allow it.
     *
     * @param boundsSender whether the large requests of the sender together may have no more than one alone
     * @param boundsGraph whether those for the graph may have no more than seven eighths of the pool
     */
    synchronized void belongTo(Claim<Object> whose, boolean boundsSender, boolean boundsGraph) {
        giveShares(shared);
        claim = whose;
        senderIsBounded = boundsSender;
        graphIsBounded = boundsGraph;
        if (takeShares(shared) != Reserved.YES) {
            shared = 0;
        }
    }

    /**
     * Ends the request: its next charge or checkpoint throws, once.
     *
     * @param tooLarge a request with more bytes is refused with RESOURCE_LIMIT, because it is too large for the
     *     process; another one with OVERLOADED, because it may succeed later
     * @return the bytes that the request holds
     */
    long end(long tooLarge) {
        long held = used.get();
        String message =
                "the heap of the server is nearly full, and this request was ended because it holds " + held + " bytes";
        end = held > tooLarge
                ? new ServiceException(
                        ErrorCode.RESOURCE_LIMIT,
                        message + ", more than half of the heap: ask for less at a time",
                        new ErrorDetail.ResourceLimit("memory_bytes", tooLarge, held))
                : new ServiceException(ErrorCode.OVERLOADED, message + "; try again in a second");
        endedNanos = System.nanoTime();
        return held;
    }

    boolean wasEnded() {
        return endedNanos != 0;
    }

    /** The bytes that a request still holds which was ended after a time; 0 for any other. */
    long endingBytes(long sinceNanos) {
        return wasEnded() && endedNanos - sinceNanos > 0 ? used.get() : 0;
    }

    /** Throws, once, when the request was ended because the heap is full. */
    void requireGoingOn() {
        ServiceException reason = end;
        if (reason != null) {
            end = null;
            throw reason;
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

    /** Reserves the charged bytes that are not reserved yet. */
    private synchronized Reserved reserve() {
        if (closed) {
            throw new IllegalStateException("the request is over");
        }
        long missing = used.get() - reserved;
        if (missing <= 0) {
            return Reserved.YES;
        }
        long step = Math.max(missing, Math.clamp(used.get() / 4, STEP_BYTES_MIN, STEP_BYTES));
        Reserved outcome = take(step);
        if (outcome != Reserved.YES) {
            outcome = take(missing);
        }
        if (!listed && reserved >= STEP_BYTES) {
            listed = true;
            pool.list(this);
        }
        return outcome;
    }

    private Reserved take(long bytes) {
        long whole = reserved + bytes;
        // Small requests are many and hold little, so they do not meet at the shares.
        long counted = whole < STEP_BYTES || !(senderIsBounded || graphIsBounded) ? 0 : whole - shared;
        Reserved outcome = takeShares(counted);
        if (outcome != Reserved.YES) {
            return outcome;
        }
        if (!pool.tryReserve(bytes)) {
            giveShares(counted);
            return Reserved.POOL_EMPTY;
        }
        shared += counted;
        reserved = whole;
        return Reserved.YES;
    }

    private Reserved takeShares(long bytes) {
        if (bytes == 0) {
            return Reserved.YES;
        }
        if (senderIsBounded && !pool.sharesOfSenders().take(claim.sender(), bytes)) {
            return Reserved.SENDERS_SHARE_TAKEN;
        }
        if (graphIsBounded && !pool.sharesOfGraphs().take(claim.graph(), bytes)) {
            if (senderIsBounded) {
                pool.sharesOfSenders().give(claim.sender(), bytes);
            }
            return Reserved.GRAPHS_SHARE_TAKEN;
        }
        return Reserved.YES;
    }

    private void giveShares(long bytes) {
        if (bytes > 0 && senderIsBounded) {
            pool.sharesOfSenders().give(claim.sender(), bytes);
        }
        if (bytes > 0 && graphIsBounded) {
            pool.sharesOfGraphs().give(claim.graph(), bytes);
        }
    }

    /** Returns all bytes to the pool. Later calls do nothing. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            pool.unlist(this);
            GrowthTurns.Turn taken = turn;
            if (taken != null) {
                taken.close();
            }
            giveShares(shared);
            pool.release(reserved);
            reserved = 0;
        }
    }
}
