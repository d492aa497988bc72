package service.http.limit;

import java.util.ArrayDeque;

/**
 * Limits the requests, streams and writes of a server. A request calls {@link #enter} before its body is read,
 * {@link #start} when the body has arrived, and {@link #leave} when its response is finished. A request whose body is
 * still arriving therefore counts as waiting, and takes no place among those that execute.
 *
 * <p>Thread rule: any thread. Callbacks run outside the lock.
 */
public final class Admission {
    private final int executingMax;
    private final int insideMax;
    private final int streamsMax;
    private final ActorWrites actorWrites;
    private final boolean countsNameless;

    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    /** Requests that have entered and not left. */
    private int inside;

    /** Requests in {@link #inside} that called {@link #reenter} and wait for a place. */
    private int returning;

    private int executing;
    private int streams;

    /** Streams that write again after an idle time. */
    private int resumed;

    /** Callbacks of the streams that wait for a place in {@link #resumed}. */
    private final ArrayDeque<Runnable> resuming = new ArrayDeque<>();

    private final Refusals refusals = new Refusals();

    public Admission(Limits limits) {
        executingMax = limits.getInt(Limit.MAX_INFLIGHT);
        insideMax = executingMax + limits.getInt(Limit.MAX_WAITING);
        streamsMax = limits.getInt(Limit.MAX_STREAMS);
        actorWrites = new ActorWrites(
                limits.getInt(Limit.PER_ACTOR_INFLIGHT_MAX),
                limits.get(Limit.PER_ACTOR_BYTES_MAX),
                refusals,
                System::nanoTime);
        countsNameless = limits.isSet(Limit.PER_ACTOR_INFLIGHT_MAX) || limits.isSet(Limit.PER_ACTOR_BYTES_MAX);
    }

    /**
     * Counts a new request.
     *
     * @return false when the request must be refused; after true, the caller must call {@link #leave} once
     */
    public synchronized boolean enter() {
        if (inside - returning >= insideMax) {
            refusals.count(Refusals.Cause.REQUESTS);
            return false;
        }
        inside++;
        return true;
    }

    /**
     * Takes one of the places for executing requests.
     *
     * @param turn called once when a place becomes free, unless one is free now. It runs on the thread of the request
     *     that ended, so it must only pass the work to another thread or queue
     * @return true when the caller has a place now; {@code turn} is not called then
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
     * Readmits a request that left while it waited for a commit. It is never refused; it queues for a place. Thousands
     * of requests may come back at one commit, so requests that queue here do not count against the limit of
     * {@link #enter}. The caller must call {@link #leave} once, as after {@link #start}.
     *
     * @param turn called once, now or as in {@link #start}; it must only pass the work on
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
     * Ends a request that entered, and gives its place to the next one.
     *
     * @param started whether the request had a place
     */
    public void leave(boolean started) {
        synchronized (this) {
            inside--;
        }
        if (started) {
            rest();
        }
    }

    /**
     * Gives the place of a request that only waits for its client to the next request. The request still counts as
     * inside; the caller calls {@link #leave} with false.
     */
    public void rest() {
        Runnable next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                executing--;
            }
        }
        if (next != null) {
            next.run();
        }
    }

    /**
     * Counts a new stream.
     *
     * @return false when too many streams are open; after true, the caller must call {@link #closeStream} once
     */
    public synchronized boolean openStream() {
        if (streams >= streamsMax) {
            refusals.count(Refusals.Cause.STREAMS);
            return false;
        }
        streams++;
        return true;
    }

    /** Ends a stream counted by {@link #openStream}. */
    public synchronized void closeStream() {
        streams--;
    }

    /**
     * Gives an idle stream a place to write. It is never refused; it queues. These places are as many as those of
     * {@link #openStream} and separate from them: a commit may wake thousands of streams, and new streams must still be
     * accepted. The caller must call {@link #pauseStream} once.
     *
     * @param turn called once, now or on the thread that calls {@link #pauseStream}; it must only pass the work on
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

    /** Gives the place of {@link #resumeStream} to the next stream. */
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
     * Whether all callers of a server without authentication count together as one actor. They do only where the
     * operator has set a limit per actor: the defaults are meant for one client.
     */
    public boolean countsNameless() {
        return countsNameless;
    }

    /**
     * Counts one write of an actor.
     *
     * @param bytes length of the body, 0 while it is unknown
     * @return false when the actor is at its limit; after true, the caller must call {@link #endWrite} once
     */
    public boolean beginWrite(String actor, long bytes) {
        return actorWrites.begin(actor, bytes);
    }

    /**
     * Counts a refused write of an actor that is at its limit.
     *
     * @return whether the actor is slowed, because it sends again at once after refusals: its limit is a quarter then,
     *     and the caller should delay the answer
     */
    public boolean countRefused(String actor) {
        return actorWrites.refuse(actor);
    }

    /** Counts more bytes of a write. Returns false, and counts nothing, beyond the limit of the actor. */
    public boolean growWrite(String actor, long bytes) {
        return actorWrites.grow(actor, bytes);
    }

    /** Ends a write; {@code bytes} is the sum of the bytes counted for it. */
    public void endWrite(String actor, long bytes) {
        actorWrites.end(actor, bytes);
    }

    /** Counts of the refusals. */
    public Refusals refusals() {
        return refusals;
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
