package service.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
                PrintWriter data = VisibleWriter.data(out);
                data.println(csvLine(columns.stream().map(Rows::csvText)));
                rows.forEach(row -> data.println(csvLine(columns.stream().map(column -> csvCell(row.path(column))))));
            }
            case kv -> printPairs(rows, columns, out);
            case table -> {
                TextTable table = new TextTable(columns);
                rows.forEach(row -> table.row(
                        columns.stream().map(column -> cell(row.path(column))).toList()));
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
                out.println(TextTable.oneLine(column) + ": " + TextTable.oneLine(cell(row.path(column))));
            }
        }
    }

    private static String cell(JsonNode value) {
        return isNull(value) ? "null" : text(value);
    }

    private static boolean isNull(JsonNode value) {
        return value.isNull() || value.isMissingNode();
    }

    private static String text(JsonNode value) {
        return value.isTextual() ? value.asText() : value.toString();
    }

    private static String csvLine(Stream<String> cells) {
        return cells.collect(Collectors.joining(","));
    }

    /** Null is nothing, and a text without characters is quoted, so that they can be told apart. */
    private static String csvCell(JsonNode value) {
        return isNull(value) ? "" : csvText(text(value));
    }

    private static String csvText(String text) {
        boolean quoted = text.isEmpty() || text.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return quoted ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }
}
