package service.mcp.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.gq.plan.Plan;
import service.core.graph.GraphAccess;
import service.core.graph.request.ReadTarget;
import service.core.json.ByteChunks;
import service.core.wire.QueryResponse;
import service.http.route.Fields;

/** {@code query}: runs a stored read, with the answer of {@code POST /graphs/{graph_id}/queries/{name}}. */
public record QueryTool() implements GraphTool {
    /** The JSON Schema of the rows of a query. */
    public static final String OUTPUT = """
            {"type":"object","required":["query_name","target","graph_commit_id","columns","row_count","rows"],
              "properties":{
                "query_name":{"type":"string"},
                "target":{"type":"object","properties":{"branch":{"type":"string"}}},
                "graph_commit_id":{"type":"string","description":"the commit that was read"},
                "columns":{"type":"array","items":{"type":"string"}},
                "row_count":{"type":"integer"},
                "truncated":{"type":"boolean","description":"whether there are more rows than `max_rows`"},
                "approximate":{"type":"boolean","description":"true when a nearer neighbour may be missing"},
                "rows":{"type":"array","items":{"type":"object"},"description":"one object a row, by column"}}}
            """;

    private static final Definition DEFINITION = new Definition("query", "Run a stored read", """
            Runs one stored read of a graph and returns its rows. Call `queries` first: `name` is a name from there, and \
            `params` must match the JSON Schema that it gives for that name. Nothing is changed. A result that is too \
            large or takes too long is refused: narrow it with the parameters.\
            """, """
            {"type":"object","required":["graph","name"],"properties":{
              "graph":{"type":"string","description":"a `graph_id` from `graphs`"},
              "name":{"type":"string","description":"the name of a stored read, from `queries`"},
              "params":{"type":"object","description":"the parameters by name; see `params` of the read in `queries`"},
              "branch":{"type":"string","description":"the branch to read; `main` when it is absent"}},
              "additionalProperties":false}
            """, OUTPUT);

    @Override
    public Definition definition() {
        return DEFINITION;
    }

    @Override
    public byte[] run(ToolCall call, ObjectNode arguments) {
        Fields fields = Fields.of(arguments, "graph", "name", "params", "branch");
        String id = fields.requireText("graph");
        String name = fields.requireText("name");
        ObjectNode params = fields.object("params");
        ReadTarget target = ReadTarget.of(fields.text("branch"), null, null);
        GraphAccess graph = call.graph(id);
        if (graph == null || !isRead(graph, name)) {
            throw unknown(id, name);
        }
        LimitedRows rows = new LimitedRows(new QueryResponse(true), call.resultBytesMax());
        graph.queryStored(target, name, params, graph.settings(), call.budget(), rows);
        return bytes(rows.response(), call);
    }

    /** Whether there is a stored read of that name which the caller may run. */
    private static boolean isRead(GraphAccess graph, String name) {
        try {
            return graph.storedQuery(name).plan() instanceof Plan.Read;
        } catch (ServiceException e) {
            if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.FORBIDDEN) {
                return false;
            }
            throw e;
        }
    }

    /** One error for every name and graph that the caller may not run, so that neither can be probed. */
    private static ServiceException unknown(String graph, String name) {
        return ServiceException.notFound(
                Reason.STORED_QUERY,
                "graph `" + graph + "` has no stored read `" + name
                        + "` that you may run; `queries` lists those that you may");
    }

    private static byte[] bytes(QueryResponse response, ToolCall call) {
        call.budget().memory().charge(response.size(), "the result", "return fewer rows");
        return ByteChunks.join(response.pieces());
    }
}
