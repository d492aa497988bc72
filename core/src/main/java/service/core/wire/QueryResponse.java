package service.core.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.graph.read.ResultColumn;
import service.core.graph.read.ResultValues;
import service.core.graph.request.ReadTarget;
import service.core.json.ByteChunks;
import service.core.json.Int64Form;
import service.core.json.JsonWriter;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/**
 * Builds the body of {@code POST /query}. Rows are written as JSON while they are produced and are kept on the heap,
 * because their number comes before them and because a read that fails half-way must still answer with an error. The
 * executor charges the kept bytes to the request. Confined to one thread.
 */
public final class QueryResponse implements ReadAnswer {
    private static final int FIRST_BUFFER_BYTES = 512;
    private static final byte[] QUERY_NAME = JsonWriter.part("{\"query_name\":");
    private static final byte[] TARGET = JsonWriter.part("\"target\":{");
    private static final byte[] COMMIT = JsonWriter.part("\"graph_commit_id\":");
    private static final byte[] COLUMNS = JsonWriter.part("\"columns\":[");
    private static final byte[] ROW_COUNT = JsonWriter.part("\"row_count\":");
    private static final byte[] SUFFIX = {']', '}'};

    private final boolean withCommit;
    private final ByteChunks rows = new ByteChunks();
    private final JsonWriter writer;
    private final ResultValues values;
    private byte[] head = {};
    private byte[][] names = {};
    private List<ResultColumn> columns = List.of();
    private long rowCount;
    private boolean approximate;

    /** Whether there are more rows than the client takes; null where it takes all. */
    private @Nullable Boolean truncated;

    /** The part before the rows, written when all rows are there. */
    private byte @Nullable [] prefix;

    /**
     * An empty response.
     *
     * @param withCommit whether the answer names the commit ({@code /read} does not)
     */
    public QueryResponse(boolean withCommit) {
        this(withCommit, Int64Form.NUMBER);
    }

    /** The same with values of 64 bits in this form. */
    public QueryResponse(boolean withCommit, Int64Form int64) {
        this.withCommit = withCommit;
        writer = new JsonWriter(new byte[FIRST_BUFFER_BYTES], rows, int64);
        values = new ResultValues(writer);
    }

    @Override
    public void begin(String queryName, ReadTarget target, Ulid commit, List<ResultColumn> columns, Catalog catalog) {
        this.columns = columns;
        names = new byte[columns.size()][];
        for (int i = 0; i < names.length; i++) {
            names[i] = JsonWriter.quoted(columns.get(i).name());
        }
        head = JsonWriter.bytes(json -> {
            json.lead(QUERY_NAME).string(queryName);
            json.lead(TARGET);
            members(json, target);
            json.endObject();
            if (withCommit) {
                json.lead(COMMIT).ulid(commit.high(), commit.low());
            }
            json.lead(COLUMNS);
            for (byte[] name : names) {
                json.json(name);
            }
            json.endArray().lead(ROW_COUNT);
        });
    }

    /** Writes the members of a target. */
    static void members(JsonWriter json, ReadTarget target) {
        switch (target) {
            case ReadTarget.AtBranch at -> json.field("branch").string(at.branch());
            case ReadTarget.AtSnapshot at -> json.field("snapshot").string(at.commitId());
            case ReadTarget.AtTime at -> {
                json.field("branch").string(at.branch());
                json.field("as_of").string(at.time());
            }
        }
    }

    @Override
    public void batch(GraphView view, Column[] batch, int size, QueryExecutor.Kept kept) {
        rows.charge(kept::bytes);
        for (int row = 0; row < size; row++) {
            writer.beginObject();
            for (int i = 0; i < batch.length; i++) {
                writer.field(names[i]);
                values.cell(view, batch[i], row, columns.get(i).type(), kept);
            }
            writer.endObject();
        }
        rowCount += size;
    }

    @Override
    public void approximate() {
        approximate = true;
    }

    @Override
    public void truncated(boolean is) {
        truncated = is;
    }

    /** The bytes of the rows that are written so far, without those of the last one's buffer. */
    public long rowBytes() {
        return rows.size();
    }

    @Override
    public long rowCount() {
        return rowCount;
    }

    @Override
    public List<ByteBuffer> pieces() {
        byte[] first = prefix();
        List<ByteBuffer> pieces = rows.pieces();
        pieces.addFirst(ByteBuffer.wrap(first));
        pieces.add(ByteBuffer.wrap(SUFFIX));
        return pieces;
    }

    /** Length of the whole body in bytes. Call after the read has returned. */
    public long size() {
        return prefix().length + rows.size() + SUFFIX.length;
    }

    private byte[] prefix() {
        byte[] made = prefix;
        if (made == null) {
            writer.finish();
            String more = (approximate ? ",\"approximate\":true" : "")
                    + (truncated == null ? "" : ",\"truncated\":" + truncated);
            byte[] count = (rowCount + more + ",\"rows\":[").getBytes(StandardCharsets.US_ASCII);
            made = Arrays.copyOf(head, head.length + count.length);
            System.arraycopy(count, 0, made, head.length, count.length);
            prefix = made;
        }
        return made;
    }
}
