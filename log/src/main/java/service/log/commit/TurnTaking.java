package service.log.commit;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Finds out whether one client writes in turn with the writer: it sends a command, waits for the answer and soon sends
 * the next one. The writer then stays awake for {@link #TURN_NANOS}, because waking a thread takes up to a tenth of
 * such a commit. With several clients it would take the processor that their requests need: with four, 10 % fewer
 * commits a second were measured on two processors. So only one writer of the process stays awake at a time, and none
 * on a machine with one processor.
 *
 * <p>Thread rule: the writer thread.
 */
final class TurnTaking {
    /** The longest time from an answer to the next command of the same client. */
    static final long TURN_NANOS = 200_000;

    /** Turns after which the next one is expected. */
    static final int TURNS_MIN = 16;

    /** Whether a writer of this process stays awake. */
    static final AtomicBoolean OF_PROCESS =
            new AtomicBoolean(Runtime.getRuntime().availableProcessors() < 2);

    private final AtomicBoolean awake;
    private int turns;

    /** @param awake shared by the writers of which one may stay awake */
    TurnTaking(AtomicBoolean awake) {
        this.awake = awake;
    }

    /** A group has begun with these commands, after the writer had waited for so long. */
    void took(int commands, long waitedNanos) {
        turns = commands == 1 && waitedNanos <= TURN_NANOS ? Math.min(turns + 1, TURNS_MIN) : 0;
    }

    boolean isExpected() {
        return turns == TURNS_MIN;
    }

    /** Whether this writer may stay awake for its next command; then it must call {@link #endWait}. */
    boolean beginWait() {
        return isExpected() && awake.compareAndSet(false, true);
    }

    void endWait() {
        awake.set(false);
    }
}
