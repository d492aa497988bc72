package service.http.server;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import service.core.budget.Claim;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.graph.Graph;
import service.http.limit.Admission;
import service.http.limit.Holder;
import service.http.limit.Refusals;
import service.http.limit.Taken;
import service.http.limit.WaitingConsumers;

/**
 * The places that one request holds under the server's limits, from {@link #admit} until {@link #close} releases them.
 * Thread rule: one thread at a time, as the conversation.
 */
final class AdmissionTicket implements AutoCloseable {
    /** Index of the name in {@code /graphs/{graph_id}/queries/{name}}. */
    private static final int STORED_NAME_SEGMENT = 3;

    /** Placeholder for callers without a name; the names of actors are never empty. */
    private static final String NAMELESS = "";

    private static final String CONSUMERS = "consumers of change feeds";
    private static final String CONSUMERS_WAIT = "too many consumers wait; try again later";

    private final Admission admission;
    private final Connections.Seat seat;

    /** Who holds the places; set by {@link #admit}. */
    private Claim<Holder> claim = Holder.NOBODY;

    private boolean entered;
    private boolean started;
    private boolean streaming;
    private boolean resumed;
    private boolean repeated;
    private boolean crowded;
    private @Nullable String writer;
    private long writeBytes;

    /** @param seat the place of the connection */
    AdmissionTicket(Admission admission, Connections.Seat seat) {
        this.admission = admission;
        this.seat = seat;
    }

    /**
     * Admits a request. Routes that need no credential hold no place.
     *
     * @param contentLength length of the body in bytes, −1 while it is unknown
     * @throws ServiceException TOO_MANY_REQUESTS
     */
    void admit(RequestChecks.Passed passed, long contentLength) {
        Graph graph = passed.graph();
        claim = admission.claim(
                passed.rights().credential().actor(), seat.address(), graph == null ? null : graph.id());
        if (passed.route().access().isOpen()) {
            return;
        }
        if (!seat.hold(claim.sender())) {
            crowded = true;
            throw shareIsUsed(claim.sender(), Reason.CONNECTIONS, "connections");
        }
        boolean writes = writes(passed);
        if (writes && graph != null && graph.isWriterFull()) {
            admission.refusals().count(Refusals.Cause.WRITER_QUEUE);
            throw ServiceException.of(
                    ErrorCode.TOO_MANY_REQUESTS,
                    Reason.WRITER_QUEUE,
                    "too many writes are waiting on graph `" + graph.id() + "`; try again in a second");
        }
        String actor = passed.rights().credential().actor();
        if (actor == null && admission.countsNameless()) {
            actor = NAMELESS;
        }
        if (actor != null && writes) {
            long bytes = Math.max(0, contentLength);
            if (!admission.beginWrite(actor, bytes)) {
                repeated = admission.countRefused(actor);
                throw ServiceException.of(
                        ErrorCode.TOO_MANY_REQUESTS,
                        Reason.ACTOR_WRITES,
                        whose(actor) + " too many writes in flight, or too many bytes in them; wait for one to finish"
                                + (repeated
                                        ? ". This answer was held back for a second, because more than 64 writes were"
                                                + " refused within one; use fewer connections, or wait after a refusal"
                                        : ""));
            }
            writer = actor;
            writeBytes = bytes;
        }
        require(
                admission.enter(claim),
                Reason.REQUESTS,
                "requests",
                "the server is at its limit; try again in a second");
        entered = true;
    }

    private static ServiceException shareIsUsed(Holder holder, Reason reason, String things) {
        return ServiceException.of(
                ErrorCode.TOO_MANY_REQUESTS,
                reason,
                holder.asSubject() + " its share of the " + things
                        + " that the server takes at one time; wait for one to end, or send fewer at once");
    }

    /** The address of the client, which counts where no credential is known. */
    Holder address() {
        return seat.address();
    }

    /** Lets a request share memory and processors as it shares places; also when its body names another graph. */
    void charge(RequestBudget budget) {
        share(budget);
        if (claim.graph().name().isEmpty()) {
            budget.whenGraphIsNamed(graph -> {
                move(admission.claim(claim, graph));
                share(budget);
            });
        }
    }

    private void move(Claim<Holder> named) {
        if (started && !named.equals(claim)) {
            if (!admission.move(claim, named)) {
                throw shareIsUsed(named.graph(), Reason.REQUESTS, "requests");
            }
            claim = named;
        }
    }

    private void share(RequestBudget budget) {
        budget.belongTo(
                new Claim<>(claim.sender(), claim.graph()),
                claim.sender().isLimited(),
                claim.graph().isLimited());
    }

    /** Whether the request was refused because its actor has too many connections, so that this one is closed. */
    boolean isCrowded() {
        return crowded;
    }

    /** Whether the request was refused after many others of the same actor, so that its answer is delayed. */
    boolean isRepeated() {
        return repeated;
    }

    /** Whether the request counts as a write. A stored query counts when it is a mutation. */
    private static boolean writes(RequestChecks.Passed passed) {
        Graph graph = passed.graph();
        return passed.route().writes()
                || (graph != null
                        && passed.route().input().takesKey()
                        && graph.isStoredMutation(passed.segments().get(STORED_NAME_SEGMENT)));
    }

    private static String whose(String actor) {
        return actor.equals(NAMELESS) ? "callers without a credential have, together," : "`" + actor + "` has";
    }

    /** Counts the bytes of a body so far; the length of a chunked body is not known in advance. */
    void countWrite(long length) {
        String actor = writer;
        if (actor != null && length > writeBytes) {
            if (!admission.growWrite(actor, length - writeBytes)) {
                throw ServiceException.of(
                        ErrorCode.TOO_MANY_REQUESTS,
                        Reason.ACTOR_WRITES,
                        whose(actor) + " too many bytes in flight; wait for a write to finish");
            }
            writeBytes = length;
        }
    }

    /**
     * Takes a place among the executing requests.
     *
     * @param turn called once when a place becomes free, unless one is free now. It runs on the thread of another
     *     request, so it must only pass the work on
     * @return whether the request may run now
     */
    boolean start(Runnable turn) {
        if (!entered) {
            return true;
        }
        boolean now = admission.start(claim, () -> {
            started = true;
            turn.run();
        });
        if (now) {
            started = true;
        }
        return now;
    }

    /** Releases the place among the executing requests. */
    void stepAside() {
        if (entered) {
            entered = false;
            admission.leave(claim, started);
            started = false;
        }
    }

    /** Queues for a place after {@link #stepAside}; {@code turn} is called with it and must only pass the work on. */
    void reenter(Runnable turn) {
        admission.reenter(claim, () -> {
            entered = true;
            started = true;
            turn.run();
        });
    }

    /**
     * Releases the place among the executing requests while the client reads the answer. The request still counts as
     * inside, so that their number stays bounded. Later calls have no effect.
     */
    void rest() {
        if (started) {
            started = false;
            admission.rest(claim);
        }
    }

    /**
     * Takes a place for a stream and releases the one among the executing requests: a stream lasts as long as its
     * client takes to read it. Throws TOO_MANY_REQUESTS when too many streams are open.
     */
    void openStream() {
        require(
                admission.openStream(claim),
                Reason.STREAMS,
                "streams",
                "too many streams are open; wait for one to end");
        streaming = true;
        stepAside();
    }

    /** Releases the place of a stream that has nothing to write. */
    void pauseStream() {
        if (streaming) {
            streaming = false;
            admission.closeStream(claim);
        } else if (resumed) {
            resumed = false;
            admission.pauseStream(claim);
        }
    }

    /**
     * Queues for a stream place after {@link #pauseStream}; {@code turn} is called with it and must only pass the work
     * on.
     */
    void resumeStream(Runnable turn) {
        admission.resumeStream(claim, () -> {
            resumed = true;
            turn.run();
        });
    }

    /**
     * Registers a consumer that waits for a commit.
     *
     * @param news when it ends
     * @throws ServiceException TOO_MANY_REQUESTS when too many wait
     */
    void await(WaitingConsumers consumers, CompletableFuture<Boolean> news) {
        require(consumers.enter(claim, news), Reason.CONSUMERS, CONSUMERS, CONSUMERS_WAIT);
    }

    /** Refuses a consumer that could not wait now, before its answer begins. */
    void requireWait(WaitingConsumers consumers) {
        require(consumers.check(claim), Reason.CONSUMERS, CONSUMERS, CONSUMERS_WAIT);
    }

    private void require(Taken place, Reason reason, String things, String noneIsFree) {
        switch (place) {
            case YES -> {}
            case NONE_IS_FREE -> throw ServiceException.of(ErrorCode.TOO_MANY_REQUESTS, reason, noneIsFree);
            case SHARE_IS_USED -> throw shareIsUsed(claim.sender(), reason, things);
            case GRAPH_SHARE_IS_USED -> throw shareIsUsed(claim.graph(), reason, things);
        }
    }

    /** Releases all places, which may start a waiting request. Call it once. */
    @Override
    public void close() {
        pauseStream();
        String actor = writer;
        if (actor != null) {
            admission.endWrite(actor, writeBytes);
        }
        if (entered) {
            admission.leave(claim, started);
        }
    }
}
