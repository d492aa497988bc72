package service.core.graph.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import service.core.port.GraphSession;

/**
 * How the answers to one kind of write are stored under an idempotency key. The stored form is part of the log: what
 * was once written must be readable for as long as the event exists. Any thread.
 *
 * @param <R> the answer
 */
public interface Receipts<R> {
    /** What an answer says beyond its commit. */
    ObjectNode write(R result);

    /**
     * The first answer again, marked as a repetition.
     *
     * @param session shows the graph as it is now
     */
    R read(GraphSession session, WriteKey.First first);
}
