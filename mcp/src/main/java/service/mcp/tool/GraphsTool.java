package service.mcp.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import service.core.json.JsonWriter;
import service.http.route.Fields;
import service.http.route.GraphList;

/** {@code graphs}: the ids and names of all graphs, as {@code GET /graphs/discovery} gives them. */
public record GraphsTool() implements GraphTool {
    /** The JSON Schema of the result. */
    public static final String OUTPUT = """
            {"type":"object","required":["graphs"],"properties":{"graphs":{"type":"array","items":{"type":"object",
              "required":["graph_id","display_name"],
              "properties":{
                "graph_id":{"type":"string","description":"by which the graph is called"},
                "display_name":{"type":"string"}}}}}}
            """;

    private static final Definition DEFINITION = new Definition("graphs", "List graphs", """
            Lists the graphs of this server by id and name. Call it first when you do not know the id of the graph that a \
            question is about. A listed graph may still be closed to you: `queries` then says so.\
            """, """
            {"type":"object","properties":{},"additionalProperties":false}
            """, OUTPUT);

    @Override
    public Definition definition() {
        return DEFINITION;
    }

    @Override
    public byte[] run(ToolCall call, ObjectNode arguments) {
        Fields.of(arguments);
        return JsonWriter.bytes(json -> GraphList.write(json, call.cluster()));
    }
}
