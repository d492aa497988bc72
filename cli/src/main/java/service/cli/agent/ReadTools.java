package service.cli.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.shell.BareStatement;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.http.route.Fields;
import service.mcp.tool.GraphsTool;
import service.mcp.tool.QueryTool;
import service.mcp.tool.Tool.Definition;

/** The tools that every agent has; none of them changes anything. */
final class ReadTools {
    private static final String BRANCH = "branch";
    private static final String QUERY = "query";
    private static final int LIST_MAX = 1_000;
    private static final String LIST_DEFAULT = "20";

    /** The JSON Schema of the arguments that say which state is read. */
    static final String STATE = """
            "branch":{"type":"string","description":"the branch to read; `main` when it is absent"},
              "snapshot":{"type":"string","description":"a commit to read instead: its id, `main~3`, a tag"},
              "as_of":{"type":"string","description":"a time in RFC 3339: reads the branch as it was then"}\
            """;

    private ReadTools() {}

    static List<RequestTool> all(int rowsMax) {
        return List.of(graphs(), catalog(), query(rowsMax), explain(), branches(), commits(), history(), diff());
    }

    private static RequestTool graphs() {
        return new RequestTool(
                new Definition("graphs", "List graphs", """
                        Lists the graphs of the server by id and name. The other tools work on the one graph that the \
                        instructions name.\
                        """, """
                        {"type":"object","properties":{},"additionalProperties":false}
                        """, GraphsTool.OUTPUT), (graph, arguments) -> {
                    Fields.of(arguments);
                    return bytes(graphs(graph));
                });
    }

    /** All graphs; for a caller who may not list their states those that discovery shows, where it may discover. */
    private static ObjectNode graphs(AgentGraph graph) {
        try {
            return graph.server().get("graphs");
        } catch (CommandFailure refused) {
            if (!refused.hasCode(ErrorCode.FORBIDDEN)) {
                throw refused;
            }
            return discovered(graph, refused);
        }
    }

    private static ObjectNode discovered(AgentGraph graph, CommandFailure first) {
        try {
            return graph.server().get("graphs/discovery");
        } catch (CommandFailure second) {
            // Discovery is for other credentials: only the first refusal has a remedy.
            throw second.hasCode(ErrorCode.FORBIDDEN) ? first : second;
        }
    }

    private static RequestTool catalog() {
        return new RequestTool(
                new Definition("catalog", "Show the schema", """
                        Shows the schema of the graph: node types, edge types with the types of their ends, properties \
                        with types, keys, enums and descriptions. Call it before you write a query: a name that is not \
                        in it is refused.\
                        """, """
                        {"type":"object","properties":{%s},"additionalProperties":false}
                        """.formatted(STATE), """
                        {"type":"object","required":["schema_digest","graph_commit_id","nodes","edges"],"properties":{
                          "nodes":{"type":"array","items":{"type":"object"}},
                          "edges":{"type":"array","items":{"type":"object"}}}}
                        """), (graph, arguments) -> {
                    Fields fields = Fields.of(arguments, BRANCH, "snapshot", "as_of");
                    return graph.client().get(state(fields), "catalog");
                });
    }

    private static RequestTool query(int rowsMax) {
        return new RequestTool(
                new Definition(
                        QUERY, "Run a read", """
                        Runs a read in GQ and returns its rows: `match { $p: Person { born: 1906 }  $p knows $f } \
                        return { $p.name as name, count($f) as friends } order { friends desc } limit 10`. A node is \
                        `$v: Type { property: value }`, an edge `$a edgeName $b` with the name of its type in lower \
                        camel case; conditions such as `$p.born > 1900` stand in `match`. Call `catalog` for the names. \
                        Give values as parameters (`$name`, in `params`) rather than in the text. Nothing is changed. \
                        At most %d rows are answered; `truncated` says whether there are more.\
                        """.formatted(rowsMax), """
                        {"type":"object","required":["query"],"properties":{
                          "query":{"type":"string","description":"one read; a name and `query` around it are optional"},
                          "params":{"type":"object","description":"the values of its parameters by name"},
                          "max_rows":{"type":"integer","minimum":1,"maximum":%d},
                          %s},"additionalProperties":false}
                        """.formatted(rowsMax, STATE), QueryTool.OUTPUT),
                (graph, arguments) -> {
                    Fields fields = Fields.of(arguments, QUERY, "params", "max_rows", BRANCH, "snapshot", "as_of");
                    Integer rows = fields.wholeNumber("max_rows", 1, graph.rowsMax());
                    ObjectNode params = fields.object("params");
                    ObjectNode body = source(fields.requireText(QUERY), params)
                            .put("max_rows", rows == null ? graph.rowsMax() : rows);
                    return read(graph, body, fields);
                });
    }

    /** The body of a request with a source, whose single query needs no name. */
    static ObjectNode source(String source, @Nullable ObjectNode params) {
        ObjectNode body = Json.object();
        body.put(QUERY, BareStatement.named(source, params == null ? Json.object() : params));
        if (params != null) {
            body.set("params", params);
        }
        return body;
    }

    /** Runs a read in time. */
    static byte[] read(AgentGraph graph, ObjectNode body, Fields state) {
        state(state).forEach(body::put);
        return graph.client().post(limited(graph, body), QUERY);
    }

    /** The body with the time limit of this process. */
    static ObjectNode limited(AgentGraph graph, ObjectNode body) {
        body.putObject("settings").put("timeout_ms", graph.timeoutMillis());
        return body;
    }

    private static RequestTool explain() {
        return new RequestTool(
                new Definition("explain", "Explain a read", """
                        Shows the plan of a read in GQ without running it: its operators, with the rows that each is \
                        expected to give. Call it when a query was refused because of its work or time.\
                        """, """
                        {"type":"object","required":["query"],"properties":{
                          "query":{"type":"string","description":"one read, as in `query`"},
                          "params":{"type":"object"},
                          %s},"additionalProperties":false}
                        """.formatted(STATE), QueryTool.OUTPUT),
                (graph, arguments) -> {
                    Fields fields = Fields.of(arguments, QUERY, "params", BRANCH, "snapshot", "as_of");
                    String source = fields.requireText(QUERY).strip();
                    if (source.startsWith("explain")) {
                        throw ServiceException.badRequest("`query` is the read itself, without `explain`");
                    }
                    return read(graph, source("explain " + source, fields.object("params")), fields);
                });
    }

    private static RequestTool branches() {
        return new RequestTool(
                new Definition("branches", "List branches", """
                        Lists the branches of the graph with their heads; `protected` says that only people may write \
                        there.\
                        """, """
                        {"type":"object","properties":{},"additionalProperties":false}
                        """, RequestTool.ANY), (graph, arguments) -> {
                    Fields.of(arguments);
                    return graph.client().get(Map.of(), "branches");
                });
    }

    private static RequestTool commits() {
        return new RequestTool(
                new Definition("commits", "List commits", """
                        Lists the commits of a branch, newest first: who wrote when and why, and how many entities each \
                        changed.\
                        """, """
                        {"type":"object","properties":{
                          "branch":{"type":"string","description":"`main` when it is absent"},
                          "limit":{"type":"integer","minimum":1,"maximum":1000,"description":"20 when it is absent"},
                          "before":{"type":"integer","description":"the `next_before` of the page before"}},
                          "additionalProperties":false}
                        """, RequestTool.ANY), (graph, arguments) -> {
                    Fields fields = Fields.of(arguments, BRANCH, "limit", "before");
                    Map<String, @Nullable String> parameters = new HashMap<>();
                    parameters.put(BRANCH, fields.text(BRANCH));
                    parameters.put("limit", limit(fields));
                    Integer before = fields.wholeNumber("before", 0, Integer.MAX_VALUE);
                    parameters.put("before", before == null ? null : before.toString());
                    return graph.client().get(parameters, "commits");
                });
    }

    private static RequestTool history() {
        return new RequestTool(
                new Definition("history", "Show the history of an entity", """
                        Lists the commits that changed one node or edge, newest first, with the values before and after; \
                        with `blame` it shows for each present value the commit that set it.\
                        """, """
                        {"type":"object","required":["type","id"],"properties":{
                          "entity":{"enum":["node","edge"],"description":"`node` when it is absent"},
                          "type":{"type":"string","description":"the name of its type"},
                          "id":{"type":"string","description":"its `@id`; of a type with a key the value of the key"},
                          "blame":{"type":"boolean"},
                          "limit":{"type":"integer","minimum":1,"maximum":1000,"description":"20 when it is absent"},
                          "before":{"type":"string","description":"the `next_before` of the page before"},
                          %s},"additionalProperties":false}
                        """.formatted(STATE), RequestTool.ANY),
                (graph, arguments) -> {
                    Fields fields = Fields.of(
                            arguments, "entity", "type", "id", "blame", "limit", "before", BRANCH, "snapshot", "as_of");
                    Map<String, @Nullable String> parameters = new HashMap<>(state(fields));
                    String entity = fields.text("entity");
                    parameters.put("entity", entity == null ? "node" : entity);
                    parameters.put("type", fields.requireText("type"));
                    parameters.put("id", fields.requireText("id"));
                    if (fields.flag("blame")) {
                        parameters.put("blame", "true");
                    } else {
                        parameters.put("limit", limit(fields));
                        parameters.put("before", fields.text("before"));
                    }
                    return graph.client().get(parameters, "history");
                });
    }

    private static RequestTool diff() {
        return new RequestTool(
                new Definition("diff", "Compare two states", """
                        Lists the entities that differ between two states, with their values in both: of a branch and \
                        `main`, or of two commits. With `since_merge_base` it shows what `to` has changed since the two \
                        went apart.\
                        """, """
                        {"type":"object","required":["from","to"],"properties":{
                          "from":{"type":"string","description":"a branch, a commit such as `main~3`, or a tag"},
                          "to":{"type":"string"},
                          "since_merge_base":{"type":"boolean"},
                          "page_token":{"type":"string","description":"the `next_page_token` of the page before"}},
                          "additionalProperties":false}
                        """, RequestTool.ANY), (graph, arguments) -> {
                    Fields fields = Fields.of(arguments, "from", "to", "since_merge_base", "page_token");
                    Map<String, @Nullable String> parameters = new HashMap<>();
                    parameters.put("from", fields.requireText("from"));
                    parameters.put("to", fields.requireText("to"));
                    parameters.put("since", fields.flag("since_merge_base") ? "merge_base" : null);
                    parameters.put("page_token", fields.text("page_token"));
                    return graph.client().get(parameters, "diff");
                });
    }

    private static String limit(Fields fields) {
        Integer limit = fields.wholeNumber("limit", 1, LIST_MAX);
        return limit == null ? LIST_DEFAULT : limit.toString();
    }

    /** Which state is read; what is absent is left out. */
    private static Map<String, String> state(Fields fields) {
        Map<String, String> state = new HashMap<>();
        for (String name : List.of(BRANCH, "snapshot", "as_of")) {
            String value = fields.text(name);
            if (value != null) {
                state.put(name, value);
            }
        }
        return state;
    }

    private static byte[] bytes(ObjectNode answer) {
        return answer.toString().getBytes(StandardCharsets.UTF_8);
    }
}
