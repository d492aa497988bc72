package service.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;

/** Prints the answer of a write ({@code POST /mutate}) for people. */
public final class MutationAnswer {
    private MutationAnswer() {}

    /** Prints what was affected, and the commit. */
    public static void print(JsonNode result, PrintWriter out) {
        out.printf(
                "%s on %s: %s and %s affected%n",
                result.path("query_name").asText(),
                result.path("branch").asText(),
                TextTable.counted(result.path("affected_nodes").asLong(), "node"),
                TextTable.counted(result.path("affected_edges").asLong(), "edge"));
        JsonNode commit = result.path("commit");
        out.println(
                commit.isObject() ? "commit " + commit.path("graph_commit_id").asText() : "no commit: nothing changed");
    }
}
