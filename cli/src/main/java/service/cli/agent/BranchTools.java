package service.cli.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.gq.GqCompiler;
import service.core.json.Json;
import service.core.text.Work;
import service.http.route.Fields;
import service.mcp.tool.Tool.Definition;
import service.mcp.tool.Tool.Effect;

/** The tools of an agent that may write on branches. Merging stays with people. */
final class BranchTools {
    private static final String MAIN = "main";
    private static final String BRANCH = "branch";
    private static final String MESSAGE = "message";

    private BranchTools() {}

    static List<RequestTool> all() {
        return List.of(create(), mutate(), preview());
    }

    private static RequestTool create() {
        return new RequestTool(
                new Definition("create_branch", "Create a branch", """
                        Creates a branch at the head of another one. Write there with `mutate`; people merge it.\
                        """, """
                        {"type":"object","required":["name"],"properties":{
                          "name":{"type":"string","description":"such as `agent/new-people`"},
                          "from":{"type":"string","description":"a branch or a commit; `main` when it is absent"},
                          "message":{"type":"string","description":"what the branch is for"}},"additionalProperties":false}
                        """, RequestTool.ANY, Effect.ADD),
                (graph, arguments) -> {
                    Fields fields = Fields.of(arguments, "name", "from", MESSAGE);
                    ObjectNode body = Json.object().put("name", fields.requireText("name"));
                    put(body, "from", fields.text("from"));
                    put(body, MESSAGE, fields.text(MESSAGE));
                    return graph.client().post(body, "branches");
                });
    }

    private static RequestTool mutate() {
        return new RequestTool(
                new Definition("mutate", "Write on a branch", """
                        Runs a mutation in GQ on a branch that is not protected, as one commit: `insert Person { name: \
                        $name, born: $born }`, `match { $p: Person { name: $name } } update $p { born: $born }`, \
                        `match { … } delete $p`. `main` and protected branches are refused: call `create_branch` first. \
                        Say in `message` why you write; people read it before they merge.\
                        """, """
                        {"type":"object","required":["branch","query"],"properties":{
                          "branch":{"type":"string","description":"the branch to write; never `main`"},
                          "query":{"type":"string","description":"one mutation; a name and `query` around it are optional"},
                          "params":{"type":"object","description":"the values of its parameters by name"},
                          "message":{"type":"string","description":"why this is written"}},"additionalProperties":false}
                        """, RequestTool.ANY, Effect.CHANGE),
                (graph, arguments) -> {
                    Fields fields = Fields.of(arguments, BRANCH, "query", "params", MESSAGE);
                    String branch = fields.requireText(BRANCH);
                    ObjectNode body = ReadTools.source(fields.requireText("query"), fields.object("params"));
                    if (GqCompiler.changesBranches(body.path("query").asText(), Work.UNCOUNTED)) {
                        throw forbidden(
                                "`mutate` changes nodes and edges only; branches are merged and deleted by people");
                    }
                    requireOpen(graph, branch);
                    put(body.put(BRANCH, branch), MESSAGE, fields.text(MESSAGE));
                    return graph.client().post(ReadTools.limited(graph, body), "mutate");
                });
    }

    private static RequestTool preview() {
        return new RequestTool(
                new Definition("merge_preview", "Preview a merge", """
                        Shows what a merge of one branch into another would do: the counts of changed entities, or the \
                        conflicts with the values of both sides. Nothing is merged.\
                        """, """
                        {"type":"object","required":["source"],"properties":{
                          "source":{"type":"string","description":"the branch with the changes"},
                          "target":{"type":"string","description":"`main` when it is absent"}},"additionalProperties":false}
                        """, RequestTool.ANY), (graph, arguments) -> {
                    Fields fields = Fields.of(arguments, "source", "target");
                    ObjectNode body = Json.object().put("source", fields.requireText("source"));
                    put(body.put("dry_run", true), "target", fields.text("target"));
                    return graph.client().post(body, "branches", "merge");
                });
    }

    /**
     * Refuses a branch that agents may not write. The server asks its policy at the write as well; this check also
     * holds where there is none.
     */
    static void requireOpen(AgentGraph graph, String branch) {
        if (branch.equals(MAIN)) {
            throw forbidden(
                    "branch `main` is written by people: write on a branch of yours (`create_branch`), and let a"
                            + " person merge it");
        }
        ObjectNode shown = Json.readObject(graph.client().get(Map.of(), "branches", branch), "the branch");
        if (shown.path("protected").asBoolean()) {
            throw forbidden("branch `" + branch + "` is protected: write on a branch of yours (`create_branch`)");
        }
    }

    static void put(ObjectNode body, String name, @Nullable String value) {
        if (value != null) {
            body.put(name, value);
        }
    }

    private static ServiceException forbidden(String message) {
        return ServiceException.of(ErrorCode.FORBIDDEN, Reason.PERMISSION, message);
    }
}
