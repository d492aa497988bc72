package service.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Prints the answer of a read ({@code POST /query}) in one of the formats that {@code --format} offers. */
public final class Rows {
    /** The values of {@code --format}, as they are typed. */
    public enum Format {
        table,
        json,
        jsonl,
        csv,
        kv
    }

    private Rows() {}

    /** Prints a result. */
    public static void print(ObjectNode result, Format format, PrintWriter out, Screen screen) {
        List<String> columns = new ArrayList<>();
        result.path("columns").forEach(column -> columns.add(column.asText()));
        JsonNode rows = result.path("rows");
        switch (format) {
            case json -> out.println(result.toPrettyString());
            case jsonl -> {
                ObjectNode metadata = result.deepCopy();
                metadata.remove("rows");
                out.println(metadata);
                rows.forEach(out::println);
            }
            case csv -> {
                out.println(csvLine(columns));
                rows.forEach(row -> out.println(csvLine(cells(row, columns, ""))));
            }
            case kv -> printPairs(rows, columns, out);
            case table -> {
                TextTable table = new TextTable(columns);
                rows.forEach(row -> table.row(cells(row, columns, "null")));
                table.print(out, screen);
                int count = rows.size();
                out.println("(" + count + (count == 1 ? " row)" : " rows)"));
            }
        }
        out.flush();
    }

    private static void printPairs(JsonNode rows, List<String> columns, PrintWriter out) {
        boolean first = true;
        for (JsonNode row : rows) {
            if (!first) {
                out.println();
            }
            first = false;
            for (String column : columns) {
                out.println(column + ": " + cell(row.path(column), "null"));
            }
        }
    }

    private static List<String> cells(JsonNode row, List<String> columns, String none) {
        return columns.stream().map(column -> cell(row.path(column), none)).toList();
    }

    private static String cell(JsonNode value, String none) {
        if (value.isNull() || value.isMissingNode()) {
            return none;
        }
        return value.isTextual() ? value.asText() : value.toString();
    }

    private static String csvLine(List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            String cell = cells.get(i);
            boolean quote = cell.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
            line.append(i == 0 ? "" : ",").append(quote ? '"' + cell.replace("\"", "\"\"") + '"' : cell);
        }
        return line.toString();
    }
}
