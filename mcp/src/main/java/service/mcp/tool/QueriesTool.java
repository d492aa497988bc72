package service.mcp.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.gq.plan.Plan;
import service.core.graph.GraphAccess;
import service.core.graph.request.StoredQuery;
import service.core.json.JsonWriter;
import service.core.schema.Annotation;
import service.core.wire.ColumnJson;
import service.core.wire.ParameterSchema;
import service.http.route.Fields;

/** {@code queries}: the stored reads of a graph that the caller may run. */
public record QueriesTool() implements GraphTool {
    private static final Definition DEFINITION = new Definition("queries", "List stored reads", """
            Lists the stored reads of one graph that you may run. Call it before `query`, and choose by `description` \
            (what the read finds) and `instruction` (when and how to use it); `params` is the JSON Schema of the \
            parameters. Stored reads are the only way to read a graph here: when none fits the question, say so instead \
            of guessing a name.\
            """, """
            {"type":"object","required":["graph"],"properties":{
              "graph":{"type":"string","description":"a `graph_id` from `graphs`"}},"additionalProperties":false}
            """, """
            {"type":"object","required":["queries"],"properties":{"queries":{"type":"array","items":{"type":"object",
              "required":["name","params"],
              "properties":{
                "name":{"type":"string","description":"what `query` takes as `name`"},
                "description":{"type":"string","description":"what the read finds"},
                "instruction":{"type":"string","description":"when and how to use it"},
                "params":{"type":"object","description":"the JSON Schema of what `query` takes as `params`"},
                "columns":{"type":"array","items":{"type":"object"},
                  "description":"the columns of the rows: name, type and kind, of records their fields"}}}}}}
            """);

    @Override
    public Definition definition() {
        return DEFINITION;
    }

    @Override
    public byte[] run(ToolCall call, ObjectNode arguments) {
        String id = Fields.of(arguments, "graph").requireText("graph");
        GraphAccess graph = call.graph(id);
        if (graph == null) {
            throw ServiceException.notFound(
                    Reason.GRAPH,
                    "graph `" + id
                            + "` does not exist, or you may not run its stored reads; `graphs` lists the ids of all graphs");
        }
        List<StoredQuery> reads = graph.storedQueries().stream()
                .filter(query -> query.runs() && query.plan() instanceof Plan.Read)
                .toList();
        call.budget().checkpoint(() -> {});
        return JsonWriter.bytes(json -> {
            json.beginObject().field("queries").beginArray();
            reads.forEach(query -> write(json, query));
            json.endArray().endObject();
        });
    }

    private static void write(JsonWriter json, StoredQuery query) {
        json.beginObject().field("name").string(query.name());
        for (String name : List.of("description", "instruction")) {
            String text = Annotation.argumentOf(query.plan().annotations(), name);
            if (text != null) {
                json.field(name).string(text);
            }
        }
        json.field("params");
        ParameterSchema.write(json, query.plan());
        ColumnJson.columns(json, query);
        json.endObject();
    }
}
