package service.cli.agent;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import service.core.json.Json;
import service.mcp.tool.Tool;

/** The tools of {@code service mcp} for one graph. */
public final class AgentTools {
    private AgentTools() {}

    /**
     * The tools that this caller has: the schema and the stored queries of the moment decide some of them.
     *
     * @param writes whether the agent may write on branches
     * @throws service.cli.client.CommandFailure when the server cannot be asked, or refuses
     */
    public static List<Tool<AgentGraph>> of(AgentGraph graph, boolean writes) {
        List<Tool<AgentGraph>> tools = new ArrayList<>(ReadTools.all(graph.rowsMax()));
        RequestTool search = SearchTool.of(answer(graph, "catalog"), graph.rowsMax());
        if (search != null) {
            tools.add(search);
        }
        tools.addAll(StoredTools.all(answer(graph, "queries"), writes));
        if (writes) {
            tools.addAll(BranchTools.all());
        }
        return List.copyOf(tools);
    }

    private static JsonNode answer(AgentGraph graph, String path) {
        return Json.readObject(graph.client().get(Map.of(), path), "the answer to GET /" + path);
    }

    /** What an agent is told at first. */
    public static String instructions(String graphId, boolean writes) {
        return "The graph `" + graphId
                + "`. Call `catalog` for its types, then `query` with a read in GQ, or one of the"
                + " tools `stored_…`, which run reads that were written for such questions. "
                + (writes
                        ? "Write on a branch of yours: `create_branch`, then `mutate`, then `diff` or `merge_preview`. You"
                                + " cannot merge: tell the person which branch to look at."
                        : "You cannot change anything.");
    }
}
