package service.core.wire;

import java.util.List;
import service.core.batch.Column;
import service.core.graph.read.ResultColumn;
import service.core.graph.read.RowSink;
import service.core.graph.request.ReadTarget;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/** Takes the first rows of a read into a response, and ends the read at the next one. Confined to one thread. */
public final class FirstRows implements RowSink {
    private final ReadAnswer response;
    private final long rowsMax;

    /** @param rowsMax at least 1 */
    public FirstRows(ReadAnswer response, long rowsMax) {
        this.response = response;
        this.rowsMax = rowsMax;
        response.truncated(false);
    }

    @Override
    public void begin(String queryName, ReadTarget target, Ulid head, List<ResultColumn> columns, Catalog catalog) {
        response.begin(queryName, target, head, columns, catalog);
    }

    @Override
    public boolean isBounded() {
        return true;
    }

    @Override
    public void batch(GraphView view, Column[] columns, int size, QueryExecutor.Kept kept) {
        int taken = (int) Math.min(size, rowsMax - response.rowCount());
        response.batch(view, columns, taken, kept);
        if (taken < size) {
            response.truncated(true);
            throw new EnoughException();
        }
    }

    @Override
    public void approximate() {
        response.approximate();
    }
}
