package service.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

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
                "%s on %s: %s%n",
                result.path("query_name").asText(), result.path("branch").asText(), affected(result, commit));
        out.println(
                commit.isObject() ? "commit " + commit.path("graph_commit_id").asText() : "no commit: nothing changed");
    }

    /**
     * What the commit did, such as {@code 1 node inserted, 2 edges deleted}: an insert of a key that is there updates,
     * and only this tells. Without a commit, what was affected.
     */
    private static String affected(JsonNode result, JsonNode commit) {
        List<String> done = new ArrayList<>();
        for (String kind : List.of("node", "edge")) {
            for (String verb : List.of("inserted", "updated", "deleted")) {
                long count = commit.path("changes").path(kind + "s_" + verb).asLong();
                if (count > 0) {
                    done.add(TextTable.counted(count, kind) + " " + verb);
                }
            }
        }
        return done.isEmpty()
                ? TextTable.counted(result.path("affected_nodes").asLong(), "node")
                        + " and "
                        + TextTable.counted(result.path("affected_edges").asLong(), "edge")
                        + " affected"
                : String.join(", ", done);
    }

    /** Prints what a branch statement did. */
    private static void print(JsonNode operation, JsonNode commit, PrintWriter out) {
        switch (operation.path("kind").asText()) {
            case "merged", "reverted", "picked", "restored" -> {
                String kind = operation.path("kind").asText();
                String outcome = operation.path("outcome").asText();
                out.printf(
                        "%s %s %s: %s%n",
                        operation.path("source").asText(),
                        kind.equals("merged") || kind.equals("picked") ? "into" : "on",
                        operation.path("target").asText(),
                        outcome.equals("merged") ? kind : outcome.replace('_', ' '));
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
