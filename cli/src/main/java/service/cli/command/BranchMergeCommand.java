package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.core.json.Json;

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
    private static final Set<String> DIVERGENT = Set.of("divergent_insert", "divergent_update", "delete_vs_update");

    @Parameters(index = "0", paramLabel = "SOURCE", description = "The branch to merge.")
    private String source = "";

    @Option(names = "--into", paramLabel = "TARGET", description = "The branch to merge into (default: main).")
    private @Nullable String target;

    @Option(names = "--delete-branch", description = "Delete the source afterwards.")
    private boolean deleteBranch;

    @Option(names = "--dry-run", description = "Write nothing; show the merge and every conflict.")
    private boolean dryRun;

    @Option(
            names = "--take",
            paramLabel = "SIDE",
            description = "Resolve all divergent changes: source or target. Constraints and orphaned edges remain.")
    private @Nullable String take;

    @Option(
            names = "--resolve",
            paramLabel = "FILE",
            description = "Resolve by a JSON array of {entity_kind, type_name, entity_id, take}.")
    private @Nullable Path resolve;

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
        resolutions(graph, body);
        try {
            return Answer.of(Progress.during(output, "merging", () -> graph.merge(body)), this::print);
        } catch (CommandFailure failure) {
            if (!output.json() && failure.body() != null) {
                conflicts(failure.body().path("merge_conflicts"), output.out());
            }
            throw failure;
        }
    }

    private void resolutions(GraphClient graph, ObjectNode body) {
        if (take != null && resolve != null) {
            throw CommandFailure.usage("--take and --resolve exclude each other: give one of them");
        }
        if (resolve != null) {
            body.set("resolutions", Json.read(RequestOptions.read(resolve), "the file of --resolve"));
        } else if (take != null) {
            if (!take.equals("source") && !take.equals("target")) {
                throw CommandFailure.usage("--take must be source or target, not `" + take + "`");
            }
            body.set("resolutions", takeAll(graph, body.deepCopy(), take));
        }
    }

    /** One resolution for every divergent change that a dry run shows. */
    private static ArrayNode takeAll(GraphClient graph, ObjectNode body, String side) {
        JsonNode preview = graph.merge(body.put("dry_run", true).put("delete_branch", false))
                .path("preview");
        JsonNode conflicts = preview.path("merge_conflicts");
        if (conflicts.size() < preview.path("conflict_count").asLong()) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "--take resolves at most " + conflicts.size() + " conflicts, and there are "
                            + preview.path("conflict_count").asLong() + ": resolve some with --resolve first");
        }
        ArrayNode resolutions = JSON.createArrayNode();
        for (JsonNode conflict : conflicts) {
            if (DIVERGENT.contains(conflict.path("kind").asText())) {
                resolutions
                        .addObject()
                        .put("entity_kind", conflict.path("entity_kind").asText())
                        .put("type_name", conflict.path("type_name").asText())
                        .put("entity_id", conflict.path("entity_id").asText())
                        .put("take", side);
            }
        }
        return resolutions;
    }

    private void print(ObjectNode result, PrintWriter out) {
        String outcome = result.path("outcome").asText().replace('_', ' ');
        JsonNode preview = result.path("preview");
        out.println(source + " into " + result.path("target").asText() + ": " + (dryRun ? "would be " : "") + outcome);
        if (preview.isObject()) {
            out.println("changes    " + preview.path("changes").asLong());
            out.println("conflicts  " + preview.path("conflict_count").asLong());
            long resolved = preview.at("/resolved/source").asLong()
                    + preview.at("/resolved/target").asLong();
            if (resolved > 0) {
                out.println("resolved   " + resolved);
            }
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
