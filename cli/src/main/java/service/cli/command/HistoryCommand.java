package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.EntityText;
import service.cli.render.TextTable;
import service.cli.render.Times;
import service.core.graph.branch.EntityHistory;
import service.core.value.VisibleText;

/** Shows what happened to one entity. */
@Command(
        name = "history",
        description = {
            "Shows the commits that changed one node or edge, newest first, with what each changed.",
            "With --blame it shows for each present value the commit that set it."
        },
        footer = {
            "",
            "Examples:",
            "  service history Person ada --store people",
            "  service history Person ada --blame --store people",
            "  service history --edge Knows 01JD0000000000000000000000 --branch review/a --store people"
        })
final class HistoryCommand extends GraphCommand {
    private static final String NONE = "-";

    @Mixin
    FormatOption format = new FormatOption();

    @Parameters(index = "0", paramLabel = "TYPE", description = "The type's name.")
    private String type = "";

    @Parameters(index = "1", paramLabel = "ID", description = "The entity's id.")
    private String id = "";

    @Option(names = "--edge", description = "It is an edge.")
    private boolean edge;

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Option(names = "--blame", description = "Show for each present value the commit that set it.")
    private boolean blame;

    @Option(names = "--all", description = "Look into merged branches as well.")
    private boolean all;

    @Option(names = "--limit", paramLabel = "N", description = "The number of changes at most (default: 20).")
    private @Nullable Integer limit;

    @Option(names = "--before", paramLabel = "COMMIT", description = "Only changes before this commit.")
    private @Nullable String before;

    @Override
    void check() {
        if (limit != null && (limit < 1 || limit > EntityHistory.LIMIT_MAX)) {
            throw CommandFailure.usage(
                    "--limit must be an integer from 1 to " + EntityHistory.LIMIT_MAX + ", not `" + limit + "`");
        }
        if (blame && (limit != null || before != null)) {
            throw CommandFailure.usage("--blame shows each value once; give it without --limit and --before");
        }
    }

    @Override
    Answer ask(GraphClient graph) {
        GraphClient.Cell entity = new GraphClient.Cell(edge ? "edge" : "node", type, id, "");
        if (blame) {
            return Answer.list("properties", graph.past().blame(target.target(), entity, all), this::printBlame);
        }
        ObjectNode page = graph.past().history(target.target(), entity, all, limit == null ? 20 : limit, before);
        return Answer.list("changes", page, this::printChanges);
    }

    private void printChanges(ObjectNode answer, PrintWriter out) {
        for (JsonNode change : answer.path("changes")) {
            JsonNode commit = change.path("commit");
            EntityText.values(
                    change,
                    commit.path("graph_commit_id").asText()
                            + "  " + Times.relative(commit.path("created_at").asText())
                            + by(commit)
                            + "  " + commit.path("kind").asText()
                            + " on " + commit.path("graph_branch").asText(NONE),
                    out,
                    output.screen());
            if (commit.has("message")) {
                out.println("    " + firstLine(commit.path("message").asText()));
            }
        }
        if (answer.path("changes").isEmpty()) {
            out.println("no changes");
        }
        truncated(answer);
        if (answer.has("next_before")) {
            output.note("more: --before " + answer.path("next_before").asText());
        } else if (!answer.path("changes").isEmpty()) {
            output.note("to take one back: service commit revert COMMIT");
        }
    }

    private static String by(JsonNode commit) {
        return commit.path("actor_id").isTextual()
                ? " by " + commit.path("actor_id").asText()
                : "";
    }

    private void truncated(JsonNode answer) {
        if (answer.has("truncated_at")) {
            output.note(
                    "what happened up to commit " + answer.path("truncated_at").asText() + " was reclaimed by cleanup");
        }
    }

    private void printBlame(ObjectNode answer, PrintWriter out) {
        TextTable table = new TextTable("PROPERTY", "VALUE", "COMMIT", "SET", "BY", "KIND", "MESSAGE");
        for (JsonNode line : answer.path("properties")) {
            JsonNode commit = line.path("commit");
            table.row(
                    line.path("name").asText(),
                    EntityText.shown(line.get("value")),
                    commit.path("graph_commit_id").asText(NONE),
                    commit.isObject() ? Times.relative(commit.path("created_at").asText()) : NONE,
                    commit.path("actor_id").asText(NONE),
                    commit.path("kind").asText(NONE),
                    firstLine(commit.path("message").asText("")));
        }
        table.print(out, output.screen());
        truncated(answer);
    }

    private static String firstLine(String message) {
        return VisibleText.oneLine(message.lines().findFirst().orElse(""));
    }
}
