package service.cli.table;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import de.siegmar.fastcsv.writer.QuoteStrategies;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.json.Json;

/** A CSV file that {@link CsvTable} reads with the usual options. */
final class CsvRows implements TableWriter {
    private final CsvWriter writer;
    private final @Nullable String[] row;
    private long chars;

    CsvRows(OutputStream into, List<String> columns) {
        writer = CsvWriter.builder()
                .lineDelimiter(LineDelimiter.CRLF)
                .quoteStrategy(QuoteStrategies.EMPTY)
                .build(new OutputStreamWriter(into, StandardCharsets.UTF_8));
        writer.writeRecord(columns);
        row = new String[columns.size()];
    }

    @Override
    public void put(int column, JsonParser value) throws IOException {
        JsonToken token = value.currentToken();
        row[column] = token == JsonToken.VALUE_NULL
                ? null
                : token.isStructStart() ? Json.tree(value).toString() : value.getText();
    }

    @Override
    public void endRow() {
        for (String cell : row) {
            chars += 1 + (cell == null ? 0 : cell.length());
        }
        writer.writeRecord(row);
        Arrays.fill(row, null);
    }

    @Override
    public long bytes() {
        return chars;
    }

    @Override
    public long bytesHeld() {
        return 0;
    }

    @Override
    public void flush() {
        // A row is written when it ends.
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
