package service.http.limit;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Admission to the server. Every request that does work {@link #enter}s before its body is read, {@link #start}s when
 * the body is there, and {@link #leave}s when its response is finished. So slow senders count among the waiting, not
 * among the working. Any thread.
 */
public final class Admission {
    private final int executingMax;
    private final int insideMax;
    private final int streamsMax;
    private final int actorWritesMax;
    private final long actorBytesMax;
    private final boolean countsNameless;

    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private final Map<String, Usage> actors = new HashMap<>();
    private int inside;

    /** Of those inside, the ones that came back and wait for their turn. */
    private int returning;

    private int executing;
    private int streams;

    private static final class Usage {
        int writes;
        long bytes;
    }

    public Admission(Limits limits) {
        executingMax = limits.getInt(Limit.MAX_INFLIGHT);
        insideMax = executingMax + limits.getInt(Limit.MAX_WAITING);
        streamsMax = limits.getInt(Limit.MAX_STREAMS);
        actorWritesMax = limits.getInt(Limit.PER_ACTOR_INFLIGHT_MAX);
        actorBytesMax = limits.get(Limit.PER_ACTOR_BYTES_MAX);
        countsNameless = limits.isSet(Limit.PER_ACTOR_INFLIGHT_MAX) || limits.isSet(Limit.PER_ACTOR_BYTES_MAX);
    }

    /** False: refuse the request. True: {@link #leave} must follow, once. */
    public synchronized boolean enter() {
        if (inside - returning >= insideMax) {
            return false;
        }
        inside++;
        return true;
    }

    /**
     * Runs the task now, on this thread, or later on the thread of the request whose place it takes. It must only hand
     * over work.
     */
    public void start(Runnable task) {
        synchronized (this) {
            if (executing >= executingMax) {
                waiting.add(task);
                return;
            }
            executing++;
        }
        task.run();
    }

    /**
     * Lets a request in again that entered before, left to wait for something, and was answered to: it is not refused,
     * it takes its turn. Thousands may come back at one commit, so those that wait for their turn keep nobody out.
     * {@link #leave} must follow, once, as after {@link #start}.
     */
    public void reenter(Runnable task) {
        synchronized (this) {
            inside++;
            returning++;
        }
        start(() -> {
            synchronized (this) {
                returning--;
            }
            task.run();
        });
    }

    /**
     * Ends a request that entered.
     *
     * @param started whether its task was run
     */
    public void leave(boolean started) {
        Runnable next;
        synchronized (this) {
            inside--;
            if (!started) {
                return;
            }
            next = waiting.poll();
            if (next == null) {
                executing--;
            }
        }
        if (next != null) {
            next.run();
        }
    }

    /** False: too many streams are open. True: {@link #closeStream} must follow, once. */
    public synchronized boolean openStream() {
        if (streams >= streamsMax) {
            return false;
        }
        streams++;
        return true;
    }

    public synchronized void closeStream() {
        streams--;
    }

    /**
     * Whether writers without a name, on a server without authentication, count together as one actor. They are many
     * behind one name, so that the default would be too tight; a limit that the operator has set is meant.
     */
    public boolean countsNameless() {
        return countsNameless;
    }

    /**
     * Counts one write of the actor, whose body has so many bytes (0 while unknown). True: {@link #endWrite} must
     * follow, once.
     */
    public synchronized boolean beginWrite(String actor, long bytes) {
        Usage usage = actors.computeIfAbsent(actor, ignored -> new Usage());
        if (usage.writes >= actorWritesMax || usage.bytes + bytes > actorBytesMax) {
            if (usage.writes == 0) {
                actors.remove(actor);
            }
            return false;
        }
        usage.writes++;
        usage.bytes += bytes;
        return true;
    }

    /** Counts more bytes of a write that has begun; false: beyond the actor's limit. */
    public synchronized boolean growWrite(String actor, long bytes) {
        Usage usage = actors.get(actor);
        if (usage == null || usage.bytes + bytes > actorBytesMax) {
            return false;
        }
        usage.bytes += bytes;
        return true;
    }

    /** Ends a write that began; {@code bytes} is all that it counted. */
    public synchronized void endWrite(String actor, long bytes) {
        Usage usage = actors.get(actor);
        if (usage != null) {
            usage.writes--;
            usage.bytes -= bytes;
            if (usage.writes == 0) {
                actors.remove(actor);
            }
        }
    }

    public synchronized int inside() {
        return inside;
    }

    public synchronized int executing() {
        return executing;
    }

    public synchronized int waiting() {
        return waiting.size();
    }

    public synchronized int streams() {
        return streams;
    }
}
