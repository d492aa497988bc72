package service.core.graph.read;

import java.util.List;
import service.core.batch.Column;
import service.core.graph.request.ReadTarget;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.value.Ulid;

/** Receives a read's result as it is produced: {@link #begin} once, then batches. */
public interface RowSink {
    /**
     * Begins the result.
     *
     * @param head the effective head of the state that is read
     */
    void begin(String queryName, ReadTarget target, Ulid head, List<ResultColumn> columns);

    /** See {@link service.core.port.QueryExecutor.Sink#batch}. */
    void rows(GraphView view, Column[] columns, int size, QueryExecutor.Kept kept);
}
