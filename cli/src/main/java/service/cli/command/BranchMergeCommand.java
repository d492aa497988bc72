package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.Rows;
import service.cli.shell.ParameterText;
import service.core.error.ServiceException;

/** {@code branch merge}. */
@Command(
        name = "merge",
        description = "Merges the changes of a branch into another one.",
        footer = {
            "",
            "Examples:",
            "  service branch merge review/a --store people --dry-run",
            "  service branch merge review/a --into main --delete-branch --store people",
            "  service branch merge review/a --take source --store people"
        })
final class BranchMergeCommand extends GraphCommand {
    @Mixin
    FormatOption format = new FormatOption();

    private static final ObjectMapper JSON = new ObjectMapper();

    @Parameters(index = "0", paramLabel = "SOURCE", description = "The branch to merge.")
    private String source = "";

    @Option(names = "--into", paramLabel = "TARGET", description = "The branch to merge into (default: main).")
    private @Nullable String target;

    @Option(names = "--delete-branch", description = "Delete the source afterwards.")
    private boolean deleteBranch;

    @Option(names = "--dry-run", description = "Write nothing; show the merge and every conflict.")
    private boolean dryRun;

    @Option(names = "--no-ff", description = "Make a commit with two parents where a fast-forward would do.")
    private boolean noFastForward;

    @Option(
            names = "--squash",
            description = "Make one commit with one parent: the target does not know that it has the source.")
    private boolean squash;

    @Option(names = "--exit-code", description = "With --dry-run: exit with 3 when there are conflicts.")
    private boolean exitCode;

    @Mixin
    private NoteOptions note = new NoteOptions();

    @Mixin
    private ResolveOptions resolve = new ResolveOptions();

    @Option(names = "--set", paramLabel = "NAME=VALUE", description = "One setting.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Override
    GraphClient open() {
        return address.writer();
    }

    @Override
    Answer ask(GraphClient graph) {
        if (exitCode && !dryRun) {
            throw CommandFailure.usage("--exit-code is for --dry-run: a merge with conflicts exits with 1");
        }
        ObjectNode body = JSON.createObjectNode().put("source", source);
        if (target != null) {
            body.put("target", target);
        }
        body.put("delete_branch", deleteBranch).put("dry_run", dryRun);
        if (noFastForward) {
            body.put("no_ff", true);
        }
        if (squash) {
            body.put("squash", true);
        }
        if (!settings.isEmpty()) {
            ObjectNode object = body.putObject("settings");
            settings.forEach((name, value) -> object.set(name, ParameterText.value(value, "--set " + name)));
        }
        note.addTo(body);
        resolve.addTo(body, preview -> graph.merge(preview.put("delete_branch", false)));
        try {
            ObjectNode result = Progress.during(output, "merging", () -> graph.merge(body));
            boolean conflicts = result.path("outcome").asText().equals("conflict");
            return new Answer(result, null, this::print, exitCode && conflicts ? CommandFailure.CHANGES : 0);
        } catch (CommandFailure | ServiceException refused) {
            CommandFailure failure = Failures.describe(refused);
            ObjectNode refusal = failure.body();
            if (output.format() != Rows.Format.table || refusal == null || !refusal.has("merge_conflicts")) {
                throw resolve.named(failure);
            }
            conflicts(refusal, into(), output.out());
            throw new CommandFailure(
                    failure.exitCode(),
                    "branch `" + source + "` does not merge into `" + into() + "`: " + MergeConflicts.counted(refusal));
        }
    }

    private String into() {
        return target == null ? "main" : target;
    }

    private void print(ObjectNode result, PrintWriter out) {
        JsonNode preview = result.path("preview");
        String into = result.path("target").asText();
        out.println(
                source + " into " + into + ": " + outcome(result.path("outcome").asText()));
        if (preview.isObject()) {
            out.println("changes    " + preview.path("changes").asLong());
            out.println("conflicts  " + preview.path("conflict_count").asLong());
            JsonNode resolved = preview.path("resolved");
            if (resolved.path("source").asLong() + resolved.path("target").asLong() > 0) {
                out.println("resolved   " + resolved.path("source").asLong() + " from the source, "
                        + resolved.path("target").asLong() + " from the target");
            }
            out.println("base       " + preview.path("base_commit_id").asText());
            if (!preview.path("merge_conflicts").isEmpty()) {
                conflicts(preview, into, out);
            }
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

    private String outcome(String word) {
        return switch (word) {
            case "already_up_to_date" -> "already up to date";
            case "fast_forward" -> dryRun ? "would be fast-forwarded" : "fast-forwarded";
            case "merged" -> dryRun ? "would be merged" : "merged";
            default -> "would be refused, because there are conflicts";
        };
    }

    private void conflicts(JsonNode found, String into, PrintWriter out) {
        boolean byProperty = "property".equals(settings.get("merge_granularity"));
        new MergeConflicts(found, MergeConflicts.Sides.ofMerge(source, into, byProperty), byProperty)
                .print(out, output.screen());
    }
}
