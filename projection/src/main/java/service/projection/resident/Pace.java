package service.projection.resident;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * How a block is read in pieces.
 *
 * @param ordinalsMax ordinals of one piece; a piece may be shorter
 * @param rest is called between two pieces with the nanoseconds that the last one took, with no lock and no transaction
 */
record Pace(int ordinalsMax, LongConsumer rest) {
    private static final long REST_NANOS_MAX = 20_000_000;

    /** Long pieces; the thread rests for as long as a piece took. */
    static final Pace STANDARD =
            new Pace(Integer.MAX_VALUE, workedNanos -> LockSupport.parkNanos(Math.min(REST_NANOS_MAX, workedNanos)));
}
