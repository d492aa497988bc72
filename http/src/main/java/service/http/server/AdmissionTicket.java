package service.http.server;

import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.graph.Graph;
import service.http.limit.Admission;

/**
 * What one request holds of the server's limits, from {@link #admit} until {@link #close} gives all of it back. One
 * thread at a time, as its conversation.
 */
final class AdmissionTicket implements AutoCloseable {
    /** In {@code /graphs/{graph_id}/queries/{name}}. */
    private static final int STORED_NAME_SEGMENT = 3;

    /** No actor is called this: their names are not empty. */
    private static final String NAMELESS = "";

    private final Admission admission;
    private boolean entered;
    private boolean started;
    private boolean streaming;
    private boolean resumed;
    private @Nullable String writer;
    private long writeBytes;

    AdmissionTicket(Admission admission) {
        this.admission = admission;
    }

    /**
     * Lets the request in; routes that are always open hold nothing.
     *
     * @param contentLength −1 when it is not known yet
     * @throws ServiceException TOO_MANY_REQUESTS
     */
    void admit(RequestChecks.Passed passed, long contentLength) {
        if (passed.route().access().isOpen()) {
            return;
        }
        boolean writes = writes(passed);
        Graph graph = passed.graph();
        if (writes && graph != null && graph.isWriterFull()) {
            throw new ServiceException(
                    ErrorCode.TOO_MANY_REQUESTS,
                    "too many writes are waiting on graph `" + graph.id() + "`; try again in a second");
        }
        String actor = passed.caller().actor();
        if (actor == null && admission.countsNameless()) {
            actor = NAMELESS;
        }
        if (actor != null && writes) {
            long bytes = Math.max(0, contentLength);
            if (!admission.beginWrite(actor, bytes)) {
                throw new ServiceException(
                        ErrorCode.TOO_MANY_REQUESTS,
                        whose(actor) + " too many writes in flight; wait for one to finish");
            }
            writer = actor;
            writeBytes = bytes;
        }
        if (!admission.enter()) {
            throw new ServiceException(
                    ErrorCode.TOO_MANY_REQUESTS, "the server is at its limit; try again in a second");
        }
        entered = true;
    }

    /** Whether the request counts as a write: a stored query does when it is a mutation. */
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

    /** A chunked body's length is known only when it is there. */
    void countWrite(long length) {
        String actor = writer;
        if (actor != null && length > writeBytes) {
            if (!admission.growWrite(actor, length - writeBytes)) {
                throw new ServiceException(
                        ErrorCode.TOO_MANY_REQUESTS,
                        whose(actor) + " too many bytes in flight; wait for a write to finish");
            }
            writeBytes = length;
        }
    }

    /**
     * Takes a place among the requests at work.
     *
     * @param turn called once if there is no place now, when there is one, on the thread of another request: it must
     *     only hand over work
     * @return whether the request may run now
     */
    boolean start(Runnable turn) {
        if (!entered) {
            return true;
        }
        boolean now = admission.start(() -> {
            started = true;
            turn.run();
        });
        if (now) {
            started = true;
        }
        return now;
    }

    /** Gives the place among the requests at work to another one. */
    void stepAside() {
        if (entered) {
            entered = false;
            admission.leave(started);
            started = false;
        }
    }

    /** Takes a place again after {@link #stepAside}; {@code turn} is called when it is there, and only hands over. */
    void reenter(Runnable turn) {
        admission.reenter(() -> {
            entered = true;
            started = true;
            turn.run();
        });
    }

    /** Throws TOO_MANY_REQUESTS when too many responses are streamed already. */
    void openStream() {
        if (!admission.openStream()) {
            throw new ServiceException(ErrorCode.TOO_MANY_REQUESTS, "too many streams are open; wait for one to end");
        }
        streaming = true;
    }

    /** Gives back the place of a stream that has nothing to write for now. */
    void pauseStream() {
        if (streaming) {
            streaming = false;
            admission.closeStream();
        } else if (resumed) {
            resumed = false;
            admission.pauseStream();
        }
    }

    /**
     * Takes a place for a stream again after {@link #pauseStream}; {@code turn} is called then, and only hands over.
     */
    void resumeStream(Runnable turn) {
        admission.resumeStream(() -> {
            resumed = true;
            turn.run();
        });
    }

    /** To be called once. Starts the next request that waits. */
    @Override
    public void close() {
        pauseStream();
        String actor = writer;
        if (actor != null) {
            admission.endWrite(actor, writeBytes);
        }
        if (entered) {
            admission.leave(started);
        }
    }
}
