package service.mcp.tool;

import java.util.List;
import service.core.batch.Column;
import service.core.graph.read.ResultColumn;
import service.core.graph.read.RowSink;
import service.core.graph.request.ReadTarget;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.Catalog;
import service.core.value.Ulid;
import service.core.wire.QueryResponse;

/** A response that ends its query as soon as its rows alone are larger than a result may be. Confined to one thread. */
final class LimitedRows implements RowSink {
    private final QueryResponse response;
    private final long bytesMax;

    LimitedRows(QueryResponse response, long bytesMax) {
        this.response = response;
        this.bytesMax = bytesMax;
    }

    QueryResponse response() {
        return response;
    }

    @Override
    public void begin(String queryName, ReadTarget target, Ulid head, List<ResultColumn> columns, Catalog catalog) {
        response.begin(queryName, target, head, columns, catalog);
    }

    @Override
    public void batch(GraphView view, Column[] columns, int size, QueryExecutor.Kept kept) {
        response.batch(view, columns, size, new QueryExecutor.Kept() {
            @Override
            public void bytes(long more) {
                if (response.rowBytes() > bytesMax) {
                    throw ResultSize.tooLarge(bytesMax);
                }
                kept.bytes(more);
            }

            @Override
            public void release(long bytes) {
                kept.release(bytes);
            }
        });
    }

    @Override
    public void approximate() {
        response.approximate();
    }
}
