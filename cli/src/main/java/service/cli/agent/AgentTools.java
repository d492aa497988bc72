package service.cli.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import service.cli.client.CommandFailure;
import service.core.error.ErrorCode;
import service.core.json.Json;
import service.mcp.tool.Tool;

/** The tools of {@code service mcp} for one graph. */
public final class AgentTools {
    private AgentTools() {}

    /**
     * The tools that this caller has: the schema and the stored queries of the moment decide some of them, as far as
     * the caller may read the one and run the others.
     *
     * @param writes whether the agent may write on branches
     * @throws service.cli.client.CommandFailure when the server cannot be asked, or refuses
     */
    public static List<Tool<AgentGraph>> of(AgentGraph graph, boolean writes) {
        JsonNode catalog = allowed(graph, "catalog");
        JsonNode queries = allowed(graph, "queries");
        if (catalog.isMissingNode() && queries.isMissingNode()) {
            // The refusal says which right is missing.
            answer(graph, "catalog");
        }
        List<Tool<AgentGraph>> tools = new ArrayList<>(ReadTools.all(graph.rowsMax()));
        RequestTool search = SearchTool.of(catalog, graph.rowsMax());
        if (search != null) {
            tools.add(search);
        }
        tools.addAll(StoredTools.all(queries, writes));
        if (writes) {
            tools.addAll(BranchTools.all());
        }
        return List.copyOf(tools);
    }

    /**
     * As {@link #answer}; missing where the caller has not the right, so that the other tools remain. A branch that the
     * caller may not read is not found.
     */
    private static JsonNode allowed(AgentGraph graph, String path) {
        try {
            return answer(graph, path);
        } catch (CommandFailure refused) {
            if (!refused.hasCode(ErrorCode.FORBIDDEN) && !refused.hasCode(ErrorCode.NOT_FOUND)) {
                throw refused;
            }
            return MissingNode.getInstance();
        }
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
