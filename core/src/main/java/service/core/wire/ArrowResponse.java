package service.core.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.arrow.ArrowFields;
import service.core.arrow.ArrowStream;
import service.core.batch.Column;
import service.core.graph.read.ResultColumn;
import service.core.graph.request.ReadTarget;
import service.core.json.JsonWriter;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/**
 * Builds the body of a read as an Arrow IPC stream. What JSON says beside the rows is in the metadata of the schema, as
 * texts: {@code query_name}, {@code target}, {@code graph_commit_id}, {@code row_count}, and {@code approximate} and
 * {@code truncated} where JSON has them.
 */
public final class ArrowResponse implements ReadAnswer {
    private final Map<String, String> metadata = new LinkedHashMap<>();
    private @Nullable ArrowStream stream;
    private long rowCount;

    @Override
    public void begin(String queryName, ReadTarget target, Ulid head, List<ResultColumn> columns, Catalog catalog) {
        metadata.put("query_name", queryName);
        metadata.put(
                "target",
                new String(
                        JsonWriter.bytes(json -> {
                            json.beginObject();
                            QueryResponse.members(json, target);
                            json.endObject();
                        }),
                        StandardCharsets.UTF_8));
        metadata.put("graph_commit_id", head.toString());
        ArrowFields fields = new ArrowFields(catalog);
        columns.forEach(column -> fields.add(column.name(), column.type()));
        stream = new ArrowStream(fields);
    }

    @Override
    public void batch(GraphView view, Column[] columns, int size, QueryExecutor.Kept kept) {
        Objects.requireNonNull(stream).add(view, columns, size, kept);
        rowCount += size;
    }

    @Override
    public void approximate() {
        metadata.put("approximate", "true");
    }

    @Override
    public void truncated(boolean is) {
        metadata.put("truncated", Boolean.toString(is));
    }

    @Override
    public long rowCount() {
        return rowCount;
    }

    @Override
    public List<ByteBuffer> pieces() {
        metadata.put("row_count", Long.toString(rowCount));
        return Objects.requireNonNull(stream).finish(metadata);
    }
}
