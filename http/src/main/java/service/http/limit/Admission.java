package service.http.limit;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import service.core.budget.Claim;

/**
 * Limits the requests, streams and writes of a server. A request calls {@link #enter} before its body is read,
 * {@link #start} when the body has arrived, and {@link #leave} when its response is finished. A request whose body is
 * still arriving therefore counts as waiting, and takes no place among those that execute.
 *
 * <p>Each sender and each graph has a share of the places of each kind, so that one that takes all it can leaves some
 * to others, and those that wait are taken in turn by sender and by graph.
 *
 * <p>Thread rule: any thread. Callbacks run outside the lock.
 */
public final class Admission {
    private static final Places.Causes REQUESTS =
            new Places.Causes(Refusals.Cause.REQUESTS, Refusals.Cause.ACTOR_REQUESTS, Refusals.Cause.GRAPH_REQUESTS);
    private static final Places.Causes STREAMS =
            new Places.Causes(Refusals.Cause.STREAMS, Refusals.Cause.ACTOR_STREAMS, Refusals.Cause.GRAPH_STREAMS);

    private final Refusals refusals = new Refusals();

    /** Of requests that have entered and not left. */
    private final Places inside;

    private final Places executing;
    private final Places streams;

    /** Of streams that write again after an idle time. */
    private final Places resumed;

    private final ActorWrites actorWrites;
    private final boolean countsNameless;
    private final boolean limitsNameless;
    private final boolean limitsGraphs;

    /** Requests that called {@link #reenter} and wait for a place. */
    private final AtomicInteger returning = new AtomicInteger();

    /** @param manyGraphs whether there is another graph for which one could leave places */
    public Admission(Limits limits, boolean manyGraphs) {
        limitsGraphs = manyGraphs;
        int executingMax = limits.getInt(Limit.MAX_INFLIGHT);
        int streamsMax = limits.getInt(Limit.MAX_STREAMS);
        inside = places(limits, executingMax + limits.getInt(Limit.MAX_WAITING), REQUESTS);
        executing = places(limits, executingMax, REQUESTS);
        streams = places(limits, streamsMax, STREAMS);
        resumed = places(limits, streamsMax, STREAMS);
        actorWrites = new ActorWrites(
                limits.getInt(Limit.PER_ACTOR_INFLIGHT_MAX),
                limits.get(Limit.PER_ACTOR_BYTES_MAX),
                refusals,
                System::nanoTime);
        countsNameless = limits.isSet(Limit.PER_ACTOR_INFLIGHT_MAX) || limits.isSet(Limit.PER_ACTOR_BYTES_MAX);
        limitsNameless = limits.isSet(Limit.SHARE_PERCENT);
    }

    private Places places(Limits limits, int max, Places.Causes causes) {
        return new Places(max, limits.getInt(Limit.SHARE_PERCENT), limitsGraphs, refusals, causes);
    }

    /**
     * Who holds the places of a request.
     *
     * @param actor null on a server without authentication. An address holds them then; its share is a bound only where
     *     the operator has set one, because the callers of such a server are one client as a rule
     * @param graph the graph that it is for; null for none, which has no share
     */
    public Claim<Holder> claim(@Nullable String actor, Holder address, @Nullable String graph) {
        return new Claim<>(
                actor == null ? address.limited(limitsNameless) : Holder.actor(actor),
                graph == null ? Holder.graph("", false) : Holder.graph(graph, limitsGraphs));
    }

    /** The claim of the same sender for a graph that only the body of its request names. */
    public Claim<Holder> claim(Claim<Holder> claim, String graph) {
        return new Claim<>(claim.sender(), Holder.graph(graph, limitsGraphs));
    }

    /**
     * Counts a request that has started for the graph of another claim of its sender from now on.
     *
     * @return false when that graph has its share; the first claim has the places then
     */
    public boolean move(Claim<Holder> from, Claim<Holder> to) {
        boolean moved = inside.move(from, to);
        if (moved) {
            executing.forceMove(from, to);
        }
        return moved;
    }

    /** Counts a new request. After {@link Taken#YES}, the caller must call {@link #leave} once. */
    public Taken enter(Claim<Holder> claim) {
        return inside.take(claim);
    }

    /**
     * Takes one of the places for executing requests.
     *
     * @param turn called once when a place becomes free, unless one is free now. It runs on the thread of the request
     *     that ended, so it must only pass the work to another thread or queue
     * @return true when the caller has a place now; {@code turn} is not called then
     */
    public boolean start(Claim<Holder> claim, Runnable turn) {
        return executing.takeOrWait(claim, turn);
    }

    /**
     * Readmits a request that left while it waited for a commit. It is never refused; it queues for a place. Thousands
     * of requests may come back at one commit, so requests that queue here do not count against the limit of
     * {@link #enter}. The caller must call {@link #leave} once, as after {@link #start}.
     *
     * @param turn called once, now or as in {@link #start}; it must only pass the work on
     */
    public void reenter(Claim<Holder> claim, Runnable turn) {
        returning.incrementAndGet();
        Runnable back = () -> {
            inside.force(claim);
            returning.decrementAndGet();
            turn.run();
        };
        if (start(claim, back)) {
            back.run();
        }
    }

    /**
     * Ends a request that entered, and gives its place to the next one.
     *
     * @param started whether the request had a place
     */
    public void leave(Claim<Holder> claim, boolean started) {
        inside.give(claim);
        if (started) {
            rest(claim);
        }
    }

    /**
     * Gives the place of a request that only waits for its client to the next request. The request still counts as
     * inside; the caller calls {@link #leave} with false.
     */
    public void rest(Claim<Holder> claim) {
        executing.give(claim);
    }

    /** Counts a new stream. After {@link Taken#YES}, the caller must call {@link #closeStream} once. */
    public Taken openStream(Claim<Holder> claim) {
        return streams.take(claim);
    }

    /** Ends a stream counted by {@link #openStream}. */
    public void closeStream(Claim<Holder> claim) {
        streams.give(claim);
    }

    /**
     * Gives an idle stream a place to write. It is never refused; it queues. These places are as many as those of
     * {@link #openStream} and separate from them: a commit may wake thousands of streams, and new streams must still be
     * accepted. The caller must call {@link #pauseStream} once.
     *
     * @param turn called once, now or on the thread that calls {@link #pauseStream}; it must only pass the work on
     */
    public void resumeStream(Claim<Holder> claim, Runnable turn) {
        if (resumed.takeOrWait(claim, turn)) {
            turn.run();
        }
    }

    /** Gives the place of {@link #resumeStream} to the next stream. */
    public void pauseStream(Claim<Holder> claim) {
        resumed.give(claim);
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

    public int inside() {
        return inside.taken() + returning.get();
    }

    public int executing() {
        return executing.taken();
    }

    public int waiting() {
        return executing.waiting();
    }

    public int streams() {
        return streams.taken();
    }

    /** Holders and claims of which anything is kept; for tests of the bound. */
    int holders() {
        return inside.holders() + executing.holders() + streams.holders() + resumed.holders();
    }
}
