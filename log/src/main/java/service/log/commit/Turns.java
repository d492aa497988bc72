package service.log.commit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * Lets several processes that write a graph at the same time each have their turn. One that has lost needs two requests
 * before its group is stored, and would lose every time to a process that stores one group after the other. So one that
 * has lost waits a random part of two requests before it looks, and one that has won a random part of four before its
 * next group. A process that always wins does not know whether another one always loses: now and then it waits so long
 * that the other one most often stores a group. All is counted in groups and requests, so that it is the same with
 * every store. Writer thread.
 */
final class Turns {
    /** For how many groups after a lost one a process that wins waits. */
    static final int SHARED_GROUPS = 32;

    /** After how many groups a process waits that knows of no other one; less often than one in a hundred. */
    static final int ALONE_GROUPS = 128;

    /** What one that has lost needs at most, in requests: its wait, a look, and its own group. */
    private static final int TURN = 4;

    /** The same, when it lacks several groups and must list and read them first. */
    private static final int LONG_TURN = 6;

    private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    private final RandomGenerator random;
    private final LongConsumer pause;

    /** Groups stored since the last lost one. */
    private long won = SHARED_GROUPS;

    Turns() {
        this(RandomGenerator.getDefault(), LockSupport::parkNanos);
    }

    /** @param pause waits for nanoseconds */
    Turns(RandomGenerator random, LongConsumer pause) {
        this.random = random;
        this.pause = pause;
    }

    /** Waits after a group that another process has overtaken. */
    void lost(long requestNanos) {
        won = 0;
        waitPartOf(2 * requestNanos);
    }

    /** Waits after a group that is stored and answered, if another process may want a turn. */
    void won(long requestNanos) {
        won++;
        if (won <= SHARED_GROUPS) {
            waitPartOf(TURN * requestNanos);
        } else if (won % ALONE_GROUPS == 0) {
            pause(LONG_TURN * requestNanos);
        }
    }

    private void waitPartOf(long nanos) {
        pause(random.nextLong(1 + nanos));
    }

    private void pause(long nanos) {
        pause.accept(Math.min(PAUSE_NANOS_MAX, nanos));
    }
}
