package service.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;

/** Prints the answer of a write ({@code POST /mutate}) for people. */
public final class MutationAnswer {
    private MutationAnswer() {}

    /** Prints what was affected, and the commit. */
    public static void print(JsonNode result, PrintWriter out) {
        JsonNode operation = result.path("branch_operation");
        JsonNode commit = result.path("commit");
        if (operation.isObject()) {
            print(operation, commit, out);
            return;
        }
        out.printf(
                "%s on %s: %s and %s affected%n",
                result.path("query_name").asText(),
                result.path("branch").asText(),
                TextTable.counted(result.path("affected_nodes").asLong(), "node"),
                TextTable.counted(result.path("affected_edges").asLong(), "edge"));
        out.println(
                commit.isObject() ? "commit " + commit.path("graph_commit_id").asText() : "no commit: nothing changed");
    }

    /** Prints what a branch statement did. */
    private static void print(JsonNode operation, JsonNode commit, PrintWriter out) {
        switch (operation.path("kind").asText()) {
            case "merged" -> {
                out.printf(
                        "%s into %s: %s%n",
                        operation.path("source").asText(),
                        operation.path("target").asText(),
                        operation.path("outcome").asText().replace('_', ' '));
                if (commit.isObject()) {
                    out.println("commit " + commit.path("graph_commit_id").asText());
                }
            }
            default ->
                out.printf(
                        "branch %s %s%n",
                        operation.path("name").asText(), operation.path("kind").asText());
        }
    }
}
