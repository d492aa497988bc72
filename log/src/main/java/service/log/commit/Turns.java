package service.log.commit;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets several processes that write a graph at the same time each have their turn: so many groups in a row, then as
 * many of another process. No process assigns turns. Each one counts the groups in a row at the end of the log that are
 * its own, or that are all of others, and of two processes both count the same. After its turn a process gives another
 * one the time to store a group, and looks for it; the other one has followed with one look for each group, so that it
 * has the state when its turn begins, and puts at once. When the end of the log stands still for longer than that,
 * because the other process has nothing to write or has died, a process puts its next group.
 *
 * <p>Without turns the process that has won would win again: another one must first take in what was stored, which is a
 * request more than the winner needs. A process that is alone leaves no turns. One that always loses beside it asks for
 * them.
 *
 * <p>All is counted in groups and in requests, so that it is the same with every store. Writer thread, but for
 * {@link #asked}.
 */
final class Turns {
    /**
     * Groups of a turn. The first of a turn has waited for the turn of the other process, and the later ones have not:
     * with three most commits wait for one request, and the store is idle or looked at for a part of a request in
     * three.
     */
    static final int GROUPS = 3;

    /** After so many turns in a row that no other process has used, a process is alone. */
    static final int UNUSED_MAX = 4;

    /** How long a turn is left to another process, in requests: a look that came too early, the next one, its group. */
    private static final int OFFER = 4;

    /** The same for one that has asked, and may lack several groups that it must list and read first. */
    private static final int LONG_OFFER = 8;

    /** How long the turn of another process lasts without a further group, in requests. */
    private static final int SILENCE = 3;

    /**
     * After so many groups of others, more than those of two turns, a process asks for a turn, and takes the first gap.
     */
    static final int PATIENCE = 2 * GROUPS + 1;

    /** What a request may take at most for all this: longer ones are those of a store that fails. */
    private static final long REQUEST_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(250);

    private final LongSupplier nanos;

    /** How many groups in a row at the end of the log are own ones, or all of others. */
    private long inARow;

    private volatile boolean isOwn;

    /** How many own turns in a row no other process has used. */
    private int unused = UNUSED_MAX;

    /** When the last of these groups was stored or taken in. */
    private long sinceNanos;

    private long requestNanos;

    /** Whether another process has asked for a turn. */
    private volatile boolean asked;

    /** Whether the next own turn is left to another process. */
    private boolean isLeft;

    Turns() {
        this(System::nanoTime);
    }

    /** @param nanos as {@link System#nanoTime} */
    Turns(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * Notes an own group.
     *
     * @param took how long it has taken to store it
     */
    void stored(long took) {
        isLeft = false;
        if (isOwn && isShared() && inARow % GROUPS == 0) {
            unused++;
        }
        inARow = isOwn ? inARow + 1 : 1;
        isOwn = true;
        sinceNanos = nanos.getAsLong();
        requestNanos = Math.min(REQUEST_NANOS_MAX, took);
    }

    /**
     * Notes an own group that another process has overtaken.
     *
     * @param took how long it has taken
     * @param groups that were taken in then
     */
    void overtaken(long took, long groups) {
        requestNanos = Math.min(REQUEST_NANOS_MAX, took);
        taken(groups);
    }

    /** Notes groups of other processes that were taken in; of none, nothing. */
    void taken(long groups) {
        if (groups > 0) {
            isLeft &= isOwn || inARow % GROUPS != 0;
            inARow = isOwn ? groups : inARow + groups;
            isOwn = false;
            unused = 0;
            sinceNanos = nanos.getAsLong();
        }
    }

    /** Notes that another process asks for a turn: the next own one is left to it. Any thread. */
    void asked() {
        asked = true;
    }

    /** Whether the newest group is an own one. Any thread. */
    boolean isOwn() {
        return isOwn;
    }

    /** How many groups of others there are since the last own one. */
    long others() {
        return isOwn ? 0 : inARow;
    }

    /** Whether another process has written a short time ago, or asks for a turn. */
    boolean isShared() {
        return unused < UNUSED_MAX;
    }

    /** Whether this process and another one have taken turns a short time ago. */
    boolean areTaken() {
        return isShared() && others() < PATIENCE;
    }

    /** Whether this process may put its next group now. If not, it looks for groups of others, and asks again. */
    boolean isNow() {
        if (asked) {
            asked = false;
            isLeft = true;
            unused = 0;
        }
        return nanos.getAsLong() - sinceNanos >= requests() * requestNanos;
    }

    /** How long the end of the log must stand still before the next own group. */
    private int requests() {
        boolean isTurnOver = inARow % GROUPS == 0;
        if (isOwn) {
            return isLeft ? LONG_OFFER : isTurnOver && isShared() ? OFFER : 0;
        }
        if (isTurnOver) {
            return isLeft ? LONG_OFFER : 0;
        }
        return inARow >= PATIENCE ? 1 : SILENCE;
    }

    /** How long the next own group may wait for more commands, in nanoseconds: a turn that is scarce is used well. */
    long companyNanos() {
        return isShared() && isOwn ? requestNanos / 8 : 0;
    }

    /** The shortest time from one look to the next that pays. */
    long lookNanos() {
        return requestNanos / 2;
    }
}
