package service.mcp.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.TreeSet;
import service.core.cluster.ServedCluster;
import service.core.json.JsonWriter;
import service.http.route.Fields;

/** {@code graphs}: the ids and names of all graphs, as {@code GET /graphs/discovery} gives them. */
public record GraphsTool() implements GraphTool {
    private static final Definition DEFINITION = new Definition("graphs", "List graphs", """
            Lists the graphs of this server by id and name. Call it first when you do not know the id of the graph that a \
            question is about. A listed graph may still be closed to you: `queries` then says so.\
            """, """
            {"type":"object","properties":{},"additionalProperties":false}
            """, """
            {"type":"object","required":["graphs"],"properties":{"graphs":{"type":"array","items":{"type":"object",
              "required":["graph_id","display_name"],
              "properties":{
                "graph_id":{"type":"string","description":"what `queries` and `query` take as `graph`"},
                "display_name":{"type":"string"}}}}}}
            """);

    @Override
    public Definition definition() {
        return DEFINITION;
    }

    @Override
    public byte[] run(ToolCall call, ObjectNode arguments) {
        Fields.of(arguments);
        ServedCluster cluster = call.cluster();
        TreeSet<String> ids = new TreeSet<>(cluster.served().keySet());
        ids.addAll(cluster.quarantined().keySet());
        return JsonWriter.bytes(json -> {
            json.beginObject().field("graphs").beginArray();
            for (String id : ids) {
                json.beginObject()
                        .field("graph_id")
                        .string(id)
                        .field("display_name")
                        .string(id)
                        .endObject();
            }
            json.endArray().endObject();
        });
    }
}
