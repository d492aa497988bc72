package service.cli.table;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import service.core.json.Json;

/**
 * Keeps rows that were not loaded: one JSON object a line with {@code file}, its place, {@code error} and the cells.
 */
public final class RejectedRows implements Closeable {
    private final OutputStream into;
    private long count;

    /** Writes into a stream, which is closed with this. */
    public RejectedRows(OutputStream into) {
        this.into = into;
    }

    void add(TableFile file, TableReader row, String error) throws IOException {
        ObjectNode line = Json.object();
        line.put("file", file.path().toString());
        line.put(row.placeName(), row.place());
        line.put("error", error);
        ObjectNode cells = line.putObject("row");
        List<String> columns = row.columns();
        for (int i = 0; i < Math.max(columns.size(), row.cells()); i++) {
            cells.put(i < columns.size() ? columns.get(i) : "+" + (i + 1), row.shown(i));
        }
        into.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        count++;
    }

    public long count() {
        return count;
    }

    @Override
    public void close() throws IOException {
        into.close();
    }
}
