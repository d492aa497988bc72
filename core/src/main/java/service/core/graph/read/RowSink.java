package service.core.graph.read;

import java.util.List;
import service.core.graph.request.ReadTarget;
import service.core.port.QueryExecutor;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/** Receives a read's result as it is produced: {@link #begin} once, then batches. */
public interface RowSink extends QueryExecutor.Sink {
    /** Thrown by {@link #batch} when the receiver takes no more rows: the read ends without a failure. */
    final class EnoughException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public EnoughException() {
            super("the receiver takes no more rows", null, false, false);
        }
    }

    /**
     * Begins the result.
     *
     * @param head the effective head of the state that is read
     * @param catalog its schema, which names the properties of entities
     */
    void begin(String queryName, ReadTarget target, Ulid head, List<ResultColumn> columns, Catalog catalog);

    /** Whether it bounds the rows itself, so that the limit of rows does not count those that it leaves out. */
    default boolean isBounded() {
        return false;
    }
}
