package service.log.commit;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets several processes that write a graph at the same time each have their turn. One that has lost needs two requests
 * before its group is stored, and would lose every time to a process that stores one group after the other. So both
 * wait a random part of two requests, the one that has lost before it looks. Writer thread.
 */
final class Turns {
    private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    /** For how long after a lost group this process leaves the others a turn. */
    private static final long SHARING_NANOS = TimeUnit.SECONDS.toNanos(2);

    private long lostNanos = System.nanoTime() - SHARING_NANOS;

    /** Waits after a group that another process has overtaken. */
    void lost(long requestNanos) {
        lostNanos = System.nanoTime();
        pause(requestNanos);
    }

    /** Waits after a group that is stored and answered, if another process was first lately. */
    void won(long requestNanos) {
        if (System.nanoTime() - lostNanos < SHARING_NANOS) {
            pause(requestNanos);
        }
    }

    private static void pause(long requestNanos) {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1 + Math.min(PAUSE_NANOS_MAX, 2 * requestNanos)));
    }
}
