package service.core.budget;

import java.util.HashMap;
import java.util.Map;

/**
 * A bounded number of units that holders share, such as places of actors. A holder takes more only while it has less
 * than a part of what is free (the dynamic threshold of Choudhury and Hahne, 1998). So one holder alone gets a fixed
 * part of all, a second one always finds some, and with every further greedy holder each has less and some stay free:
 * with three quarters, one holder gets 3/4, two get 3/7 each, three get 3/10 each. A unit in use is never taken back.
 *
 * <p>It keeps no trace of a holder without units, so its size is bounded by the units.
 *
 * <p>Thread rule: one thread at a time; the owner locks.
 */
public final class Shares {
    private static final int ALL_PERCENT = 100;

    private final long max;
    private final int percent;
    private final Map<Object, Long> held = new HashMap<>();
    private long taken;

    /**
     * @param max units of all holders together
     * @param percent what one holder alone may have, from 1 to 100; with 100 there are no shares
     */
    public Shares(long max, int percent) {
        if (percent < 1 || percent > ALL_PERCENT) {
            throw new IllegalArgumentException("a share is from 1 to 100 percent, not " + percent);
        }
        this.max = max;
        this.percent = percent;
    }

    /** What {@link #take} would return, for one unit. */
    public boolean mayTake(Object holder) {
        long free = max - taken;
        return free > 0 && held(holder) * (ALL_PERCENT - percent) < free * percent;
    }

    /** Takes a unit; false when none is free, or when the holder has its share. */
    public boolean take(Object holder) {
        if (!mayTake(holder)) {
            return false;
        }
        force(holder);
        return true;
    }

    /** Takes a unit beyond every bound, for a holder that cannot be refused any more. */
    public void force(Object holder) {
        held.merge(holder, 1L, Long::sum);
        taken++;
    }

    /** Gives a unit back. */
    public void give(Object holder) {
        held.computeIfPresent(holder, (any, count) -> count == 1 ? null : count - 1);
        taken--;
    }

    /** Units of one holder. */
    public long held(Object holder) {
        return held.getOrDefault(holder, 0L);
    }

    /** Units of all holders. */
    public long taken() {
        return taken;
    }

    public boolean isFull() {
        return taken >= max;
    }

    /** Number of holders with units. */
    public int holders() {
        return held.size();
    }
}
