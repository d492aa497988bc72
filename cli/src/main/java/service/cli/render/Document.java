package service.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Prints answers other than query results in the formats for programs. */
public final class Document {
    private Document() {}

    /**
     * Prints an answer.
     *
     * @param list the field that holds the answer's list, such as {@code branches}; null when it is one object
     * @param format any but a table
     */
    public static void print(ObjectNode answer, @Nullable String list, Rows.Format format, PrintWriter out) {
        if (format == Rows.Format.json || format == Rows.Format.table) {
            out.println(answer.toPrettyString());
            return;
        }
        if (list == null && format == Rows.Format.jsonl) {
            out.println(answer);
            return;
        }
        List<JsonNode> rows = new ArrayList<>();
        if (list == null) {
            rows.add(answer);
        } else {
            answer.path(list).forEach(rows::add);
        }
        ObjectNode result = answer.deepCopy();
        if (list != null) {
            result.remove(list);
        }
        if (format == Rows.Format.jsonl) {
            out.println(result);
            rows.forEach(out::println);
            return;
        }
        rows.replaceAll(Document::flat);
        Set<String> columns = new LinkedHashSet<>();
        rows.forEach(row -> row.fieldNames().forEachRemaining(columns::add));
        if (columns.isEmpty()) {
            // An empty list has no columns: a line without a name would look like a row.
            return;
        }
        ObjectNode table = JsonNodeFactory.instance.objectNode();
        columns.forEach(table.putArray("columns")::add);
        rows.forEach(table.putArray("rows")::add);
        Rows.print(table, format, out, Screen.NONE);
    }

    /** The same row with a field for each field of its objects, such as {@code changes.nodes_inserted}. */
    private static JsonNode flat(JsonNode row) {
        ObjectNode flat = JsonNodeFactory.instance.objectNode();
        row.properties().forEach(field -> flatten(field.getKey(), field.getValue(), flat));
        return flat;
    }

    private static void flatten(String name, JsonNode value, ObjectNode into) {
        if (value.isObject()) {
            value.properties().forEach(field -> flatten(name + "." + field.getKey(), field.getValue(), into));
        } else {
            into.set(name, value);
        }
    }
}
