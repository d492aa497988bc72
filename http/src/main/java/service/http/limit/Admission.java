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

    /** Streams that were idle and write again, and those that wait for a place to do so. */
    private int resumed;

    private final ArrayDeque<Runnable> resuming = new ArrayDeque<>();

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
     * Takes a place among the requests at work.
     *
     * @param turn called once if there is no place now, when there is one: on the thread of the request that ended, so
     *     it must only hand the work to another thread or queue, and never do it
     * @return whether the caller has the place now; {@code turn} is not called then
     */
    public synchronized boolean start(Runnable turn) {
        if (executing >= executingMax) {
            waiting.add(turn);
            return false;
        }
        executing++;
        return true;
    }

    /**
     * Lets a request in again that entered before and gave its place away while it waited for something. It is never
     * refused, it waits for a place: thousands may come back at one commit, so those that wait here keep no new request
     * out. {@link #leave} must follow, once, as after {@link #start}.
     *
     * @param turn called once, now or as in {@link #start}: it must only hand over work
     */
    public void reenter(Runnable turn) {
        synchronized (this) {
            inside++;
            returning++;
        }
        Runnable back = () -> {
            synchronized (this) {
                returning--;
            }
            turn.run();
        };
        if (start(back)) {
            back.run();
        }
    }

    /**
     * Ends a request that entered.
     *
     * @param started whether it had a place
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
     * Lets a stream write again that was opened, closed and idle since. It is never refused. So many as may be open
     * write at one time, apart from those: at a commit thousands are woken, and new streams are not refused for it.
     * {@link #pauseStream} must follow, once.
     *
     * @param turn called once, now or on the thread that calls {@link #pauseStream}: it must only hand over work
     */
    public void resumeStream(Runnable turn) {
        synchronized (this) {
            if (resumed >= streamsMax) {
                resuming.add(turn);
                return;
            }
            resumed++;
        }
        turn.run();
    }

    public void pauseStream() {
        Runnable next;
        synchronized (this) {
            next = resuming.poll();
            if (next == null) {
                resumed--;
            }
        }
        if (next != null) {
            next.run();
        }
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
