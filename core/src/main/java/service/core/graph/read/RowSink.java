package service.core.graph.read;

import java.util.List;
import service.core.graph.request.ReadTarget;
import service.core.port.QueryExecutor;
import service.core.value.Ulid;

/** Receives a read's result as it is produced: {@link #begin} once, then batches. */
public interface RowSink extends QueryExecutor.Sink {
    /**
     * Begins the result.
     *
     * @param head the effective head of the state that is read
     */
    void begin(String queryName, ReadTarget target, Ulid head, List<ResultColumn> columns);
}
