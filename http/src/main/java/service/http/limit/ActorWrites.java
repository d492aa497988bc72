package service.http.limit;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The writes of each actor: how many are in flight, with how many bytes, and how many were refused lately.
 *
 * <p>An actor with more than {@link #REFUSED_MAX} refused writes within a second is <em>slowed</em>: the caller delays
 * its refusals, and while other actors write, it gets a quarter of its limit. Alone it keeps the whole limit: then no
 * other actor is slower for it, and its own work would only take longer. It stays slowed while each further second has
 * more refusals than the limit, or than {@link #REFUSED_MAX} where that is less. A client with as many connections as
 * the limit, each of which waits a second after a refusal, stays below that and gets its whole limit back; one with
 * many more connections does not.
 *
 * <p>The refusals are kept for two seconds after the last write of the actor ended. All writes of an actor often end
 * with the same group of commits, and an actor that sends again at once must not begin from zero each time.
 *
 * <p>Thread rule: any thread.
 */
final class ActorWrites {
    /** Refused writes of an actor within a second that have no consequence. */
    static final int REFUSED_MAX = 64;

    /** A slowed actor has its limit divided by this number. */
    static final int SLOWED_DIVISOR = 4;

    /** Number of entries from which those that are no longer needed are removed. */
    static final int ENTRIES_SWEPT = 1_024;

    private static final long SECOND_NANOS = 1_000_000_000;

    private final int writesMax;
    private final long bytesMax;
    private final Refusals refusals;
    private final LongSupplier nanos;
    private final Map<String, Usage> actors = new HashMap<>();
    private int sweepSize = ENTRIES_SWEPT;

    /** The actor of the last write that began, and when; the last one of another actor, and when. */
    private @Nullable String lastActor;

    private long lastNanos;
    private @Nullable String otherActor;
    private long otherNanos;

    private static final class Usage {
        int writes;
        long bytes;

        /** Refused writes in the second from {@link #sinceNanos}. */
        int refused;

        long sinceNanos;
        boolean slowed;

        boolean isIdle() {
            return writes == 0 && refused == 0 && !slowed;
        }
    }

    /**
     * @param refusals counts the refused writes by their cause
     * @param nanos the clock, as {@link System#nanoTime}
     */
    ActorWrites(int writesMax, long bytesMax, Refusals refusals, LongSupplier nanos) {
        this.writesMax = writesMax;
        this.bytesMax = bytesMax;
        this.refusals = refusals;
        this.nanos = nanos;
    }

    /** Counts one write; false, and not counted, when the actor is at its limit. */
    synchronized boolean begin(String actor, long bytes) {
        Usage usage = actors.get(actor);
        if (usage == null) {
            sweep();
            usage = new Usage();
            actors.put(actor, usage);
        } else {
            turnSecond(usage);
        }
        int max = usage.slowed && othersWrite(actor) ? Math.max(1, writesMax / SLOWED_DIVISOR) : writesMax;
        if (usage.writes >= max || usage.bytes + bytes > bytesMax) {
            refusals.count(usage.writes >= max ? Refusals.Cause.ACTOR_WRITES : Refusals.Cause.ACTOR_BYTES);
            removeIdle(actor, usage);
            return false;
        }
        usage.writes++;
        usage.bytes += bytes;
        noteWrite(actor);
        return true;
    }

    private void noteWrite(String actor) {
        if (!actor.equals(lastActor)) {
            otherActor = lastActor;
            otherNanos = lastNanos;
            lastActor = actor;
        }
        lastNanos = nanos.getAsLong();
    }

    /** Whether another actor has begun a write within the last second. */
    private boolean othersWrite(String actor) {
        boolean isLast = actor.equals(lastActor);
        String other = isLast ? otherActor : lastActor;
        return other != null && nanos.getAsLong() - (isLast ? otherNanos : lastNanos) < SECOND_NANOS;
    }

    /** Counts a refused write; returns whether the actor is slowed. Without a write in flight nothing is counted. */
    synchronized boolean refuse(String actor) {
        Usage usage = actors.get(actor);
        if (usage == null) {
            return false;
        }
        turnSecond(usage);
        if (usage.refused == 0) {
            usage.sinceNanos = nanos.getAsLong();
        }
        usage.refused++;
        usage.slowed |= usage.refused > REFUSED_MAX;
        return usage.slowed;
    }

    /** Counts more bytes of a write. Returns false, and counts nothing, beyond the limit. */
    synchronized boolean grow(String actor, long bytes) {
        Usage usage = actors.get(actor);
        if (usage == null || usage.bytes + bytes > bytesMax) {
            refusals.count(Refusals.Cause.ACTOR_BYTES);
            return false;
        }
        usage.bytes += bytes;
        return true;
    }

    /** Ends a write; {@code bytes} is the sum of the bytes counted for it. */
    synchronized void end(String actor, long bytes) {
        Usage usage = actors.get(actor);
        if (usage != null) {
            usage.writes--;
            usage.bytes -= bytes;
            removeIdle(actor, usage);
        }
    }

    /** Entries that are kept; for tests of the bound. */
    synchronized int size() {
        return actors.size();
    }

    private void removeIdle(String actor, Usage usage) {
        if (usage.isIdle()) {
            actors.remove(actor);
        }
    }

    /** Begins a new second when the last one is over, and decides whether the actor is slowed in it. */
    private void turnSecond(Usage usage) {
        if (usage.refused == 0 && !usage.slowed) {
            return;
        }
        long elapsed = nanos.getAsLong() - usage.sinceNanos;
        if (elapsed < SECOND_NANOS) {
            return;
        }
        boolean refusedOften = usage.refused > Math.min(REFUSED_MAX, writesMax);
        usage.slowed = usage.slowed && refusedOften && elapsed < 2 * SECOND_NANOS;
        usage.refused = 0;
        usage.sinceNanos += elapsed;
    }

    /** Removes the entries that only held refusals of the past. Its cost is spread over as many new actors. */
    private void sweep() {
        if (actors.size() < sweepSize) {
            return;
        }
        actors.values().removeIf(usage -> {
            turnSecond(usage);
            return usage.isIdle();
        });
        sweepSize = Math.max(ENTRIES_SWEPT, 2 * actors.size());
    }
}
