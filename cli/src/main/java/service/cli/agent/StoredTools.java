package service.cli.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import service.core.json.Json;
import service.http.route.Fields;
import service.mcp.tool.QueryTool;
import service.mcp.tool.Tool.Definition;
import service.mcp.tool.Tool.Effect;

/** A tool for each stored query that the caller may run, with the types of its parameters. */
final class StoredTools {
    /** Before the names of stored queries, which may be those of other tools. */
    private static final String PREFIX = "stored_";

    private StoredTools() {}

    /**
     * The tools.
     *
     * @param list the answer of {@code GET /queries}
     * @param writes whether mutations are among them
     */
    static List<RequestTool> all(JsonNode list, boolean writes) {
        List<RequestTool> tools = new ArrayList<>();
        for (JsonNode query : list.path("queries")) {
            boolean mutation = query.path("mutation").asBoolean();
            if (!mutation) {
                tools.add(read(query));
            } else if (writes) {
                tools.add(mutation(query));
            }
        }
        return tools;
    }

    private static RequestTool read(JsonNode query) {
        String name = query.path("name").asText();
        return new RequestTool(
                new Definition(
                        PREFIX + name,
                        "Run " + name,
                        description(query, "Runs the stored read `" + name + "`."),
                        input(query, "{" + ReadTools.STATE + "}", false),
                        QueryTool.OUTPUT),
                (graph, arguments) -> {
                    Fields fields = Fields.of(arguments, "params", "branch", "snapshot", "as_of");
                    ObjectNode body = body(fields, "read");
                    for (String state : List.of("branch", "snapshot", "as_of")) {
                        BranchTools.put(body, state, fields.text(state));
                    }
                    return graph.client().post(body, "queries", name);
                });
    }

    private static RequestTool mutation(JsonNode query) {
        String name = query.path("name").asText();
        String more = """
                {"branch":{"type":"string","description":"the branch to write; never `main`"},
                  "message":{"type":"string","description":"why this is written"}}
                """;
        return new RequestTool(
                new Definition(
                        PREFIX + name,
                        "Run " + name,
                        description(query, "Runs the stored mutation `" + name + "` on a branch."),
                        input(query, more, true),
                        RequestTool.ANY,
                        Effect.CHANGE),
                (graph, arguments) -> {
                    Fields fields = Fields.of(arguments, "params", "branch", "message");
                    String branch = fields.requireText("branch");
                    BranchTools.requireOpen(graph, branch);
                    ObjectNode body = body(fields, "mutation").put("branch", branch);
                    BranchTools.put(body, "message", fields.text("message"));
                    return graph.client().post(body, "queries", name);
                });
    }

    private static ObjectNode body(Fields fields, String expected) {
        ObjectNode body = Json.object().put("expect", expected);
        ObjectNode params = fields.object("params");
        if (params != null) {
            body.set("params", params);
        }
        return body;
    }

    /** What the author of the query says about it, or else its text. */
    private static String description(JsonNode query, String fallback) {
        String description = query.path("description").asText(fallback);
        String instruction = query.path("instruction").asText("");
        return instruction.isEmpty() ? description : description + ". " + instruction;
    }

    /** The JSON Schema of the arguments: {@code params} with the types that the server gives, and others. */
    private static String input(JsonNode query, String others, boolean mutation) {
        ObjectNode schema = Json.object().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        properties.set("params", query.path("params_schema"));
        properties.setAll(Json.readObject(others.getBytes(java.nio.charset.StandardCharsets.UTF_8), "the schema"));
        var required = schema.putArray("required");
        if (!query.path("params_schema").path("required").isEmpty()) {
            required.add("params");
        }
        if (mutation) {
            required.add("branch");
        }
        return schema.put("additionalProperties", false).toString();
    }
}
