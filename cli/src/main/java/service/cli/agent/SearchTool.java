package service.cli.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.http.route.Fields;
import service.mcp.tool.QueryTool;
import service.mcp.tool.Tool.Definition;

/** The search of texts, for graphs whose schema has a text with {@code @search}. */
final class SearchTool {
    private static final int ROWS = 10;

    private SearchTool() {}

    /** The tool; null where the schema searches no text of a node. */
    static @Nullable RequestTool of(JsonNode catalog, int rowsMax) {
        List<String> texts = texts(catalog);
        if (texts.isEmpty()) {
            return null;
        }
        ArrayNode names = Json.object().putArray("names");
        texts.forEach(names::add);
        return new RequestTool(
                new Definition(
                        "search",
                        "Search texts",
                        """
                        Finds the nodes whose text has words of the question, the best first, with a score. For more \
                        than that (several conditions, phrases, vectors) write a `query`.\
                        """,
                        """
                        {"type":"object","required":["in","text"],"properties":{
                          "in":{"enum":%s,"description":"the property to search, as Type.property"},
                          "text":{"type":"string","description":"the words to find"},
                          "max_rows":{"type":"integer","minimum":1,"maximum":%d,"description":"%d when it is absent"},
                          %s},"additionalProperties":false}
                        """.formatted(names, rowsMax, Math.min(ROWS, rowsMax), ReadTools.STATE),
                        QueryTool.OUTPUT),
                (graph, arguments) -> {
                    Fields fields = Fields.of(arguments, "in", "text", "max_rows", "branch", "snapshot", "as_of");
                    String in = fields.requireText("in");
                    if (!texts.contains(in)) {
                        throw ServiceException.badRequest("`in` must be one of " + String.join(", ", texts));
                    }
                    Integer rows = fields.wholeNumber("max_rows", 1, graph.rowsMax());
                    int dot = in.indexOf('.');
                    ObjectNode params = Json.object().put("text", fields.requireText("text"));
                    ObjectNode body = Json.object();
                    body.put("query", """
                    query found($text: String) {
                      match { $node: %1$s  search($node.%2$s, $text) }
                      return { $node as node, bm25($node.%2$s, $text) as score } order { score } limit %3$d
                    }
                    """.formatted(
                                    in.substring(0, dot),
                                    in.substring(dot + 1),
                                    rows == null ? Math.min(ROWS, graph.rowsMax()) : rows));
                    body.set("params", params);
                    return ReadTools.read(graph, body, fields);
                });
    }

    /** The searched texts of nodes, as {@code Type.property}. */
    private static List<String> texts(JsonNode catalog) {
        List<String> texts = new ArrayList<>();
        for (JsonNode node : catalog.path("nodes")) {
            for (JsonNode property : node.path("properties")) {
                boolean text = property.path("kind").asText().equals("string");
                for (JsonNode annotation : property.path("annotations")) {
                    if (text && annotation.path("name").asText().equals("search")) {
                        texts.add(node.path("name").asText() + "."
                                + property.path("name").asText());
                    }
                }
            }
        }
        return texts;
    }
}
