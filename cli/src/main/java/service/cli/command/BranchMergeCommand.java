package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;

/** {@code branch merge}. */
@Command(
        name = "merge",
        description = "Merges the changes of a branch into another one.",
        footer = {
            "",
            "Examples:",
            "  service branch merge review/a --store people --dry-run",
            "  service branch merge review/a --into main --delete-branch --store people"
        })
final class BranchMergeCommand extends GraphCommand {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Parameters(index = "0", paramLabel = "SOURCE", description = "The branch to merge.")
    private String source = "";

    @Option(names = "--into", paramLabel = "TARGET", description = "The branch to merge into (default: main).")
    private @Nullable String target;

    @Option(names = "--delete-branch", description = "Delete the source afterwards.")
    private boolean deleteBranch;

    @Option(names = "--dry-run", description = "Write nothing; show the merge and every conflict.")
    private boolean dryRun;

    @Option(names = "--set", paramLabel = "NAME=VALUE", description = "One setting.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Override
    GraphClient open() {
        return address.writer();
    }

    @Override
    Answer ask(GraphClient graph) {
        ObjectNode body = JSON.createObjectNode().put("source", source);
        if (target != null) {
            body.put("target", target);
        }
        body.put("delete_branch", deleteBranch).put("dry_run", dryRun);
        if (!settings.isEmpty()) {
            ObjectNode object = body.putObject("settings");
            settings.forEach((name, value) -> object.set(name, RequestOptions.value(value)));
        }
        try {
            return Answer.of(Progress.during(output, "merging", () -> graph.merge(body)), this::print);
        } catch (CommandFailure failure) {
            if (!output.json() && failure.body() != null) {
                conflicts(failure.body().path("merge_conflicts"), output.out());
            }
            throw failure;
        }
    }

    private void print(ObjectNode result, PrintWriter out) {
        String outcome = result.path("outcome").asText().replace('_', ' ');
        JsonNode preview = result.path("preview");
        out.println(source + " into " + result.path("target").asText() + ": " + (dryRun ? "would be " : "") + outcome);
        if (preview.isObject()) {
            out.println("changes    " + preview.path("changes").asLong());
            out.println("conflicts  " + preview.path("conflict_count").asLong());
            conflicts(preview.path("merge_conflicts"), out);
        }
        if (result.path("commit").isObject()) {
            out.println("commit     " + result.at("/commit/graph_commit_id").asText());
        }
        if (result.path("branch_deleted").asBoolean()) {
            out.println("deleted    " + source);
        } else if (result.has("branch_delete_error")) {
            out.println("kept       " + result.path("branch_delete_error").asText());
        }
    }

    private static void conflicts(JsonNode conflicts, PrintWriter out) {
        for (JsonNode conflict : conflicts) {
            out.println(conflict.path("kind").asText() + "  "
                    + conflict.path("message").asText());
        }
        out.flush();
    }
}
