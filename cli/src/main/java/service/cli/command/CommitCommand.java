package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.GraphClient;
import service.cli.render.Times;
import service.core.value.VisibleText;

/** Shows the history. */
@Command(
        name = "commit",
        description = "Shows commits, takes them back, and makes them again elsewhere.",
        footer = {"", "Example:", "  service commit list --store people"},
        subcommands = {
            CommitListCommand.class,
            CommitCommand.Show.class,
            CommitCommand.Changes.class,
            UndoCommand.Revert.class,
            UndoCommand.Pick.class
        })
final class CommitCommand {
    private CommitCommand() {}

    /** {@code commit show}. */
    @Command(
            name = "show",
            description = "Shows one commit.",
            footer = {"", "Example:", "  service commit show main~1 --store people"})
    static final class Show extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Parameters(index = "0", paramLabel = "COMMIT", description = "Its id or the end of it, BRANCH, or BRANCH~N.")
        private String id = "";

        @Override
        Answer ask(GraphClient graph) {
            return Answer.of(graph.commit(id), CommitCommand::printOne);
        }
    }

    /** {@code commit changes}. */
    @Command(
            name = "changes",
            description = "Shows the changes of a commit against its first parent.",
            footer = {"", "Example:", "  service commit changes --store people 01JD0000000000000000000000 --type Person"
            })
    static final class Changes extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Mixin
        private FilterOptions filters = new FilterOptions();

        @Option(names = "--limit", paramLabel = "N", description = "Changes in one page (default: the server's).")
        private int limit;

        @Parameters(index = "0", paramLabel = "COMMIT", description = "Its id or the end of it, BRANCH, or BRANCH~N.")
        private String id = "";

        @Override
        @Nullable
        Answer ask(GraphClient graph) {
            return new ChangeList(output, null)
                    .all(
                            token -> graph.commitChanges(id, token, limit, filters.filters()),
                            !filters.isEmpty(),
                            "no changes");
        }
    }

    private static void printOne(JsonNode commit, PrintWriter out) {
        out.println("commit   " + commit.path("graph_commit_id").asText());
        out.println("kind     " + commit.path("kind").asText());
        out.println("branch   " + commit.path("graph_branch").asText());
        out.println("offset   " + commit.path("log_offset").asLong());
        out.println("parent   " + commit.path("parent_commit_id").asText("-"));
        if (commit.path("merged_parent_commit_id").isTextual()) {
            out.println("merged   " + commit.path("merged_parent_commit_id").asText());
        }
        if (commit.has("of_commit_id")) {
            out.println("of       " + commit.path("of_commit_id").asText());
        }
        out.println("actor    " + commit.path("actor_id").asText("-"));
        out.println("created  " + Times.relative(commit.path("created_at").asText()));
        out.println("changes  " + counts(commit.path("changes")));
        NoteText.print(commit, "message  ", "meta     ", out);
        if (commit.has("resolved")) {
            out.println("took     " + commit.at("/resolved/source").asLong() + " from the source, "
                    + commit.at("/resolved/target").asLong() + " from the target");
        }
        for (JsonNode resolution : commit.path("resolutions")) {
            out.println("         "
                    + taken(resolution)
                    + resolution.path("entity_kind").asText()
                    + " "
                    + resolution.path("type_name").asText()
                    + " "
                    + resolution.path("entity_id").asText());
        }
    }

    /** The side that a resolution took, with the property that it names, or the value that it gave. */
    private static String taken(JsonNode resolution) {
        JsonNode value = resolution.path("value");
        String took = value.isMissingNode() ? resolution.path("take").asText() : VisibleText.oneLine(value.toString());
        return resolution.has("property")
                ? took + "  " + resolution.path("property").asText() + " of "
                : took + "  ";
    }

    /** {@code +inserted ~updated -deleted}, nodes and edges together. */
    static String counts(JsonNode changes) {
        return "+%d ~%d -%d".formatted(sum(changes, "inserted"), sum(changes, "updated"), sum(changes, "deleted"));
    }

    private static long sum(JsonNode changes, String operation) {
        return changes.path("nodes_" + operation).asLong()
                + changes.path("edges_" + operation).asLong();
    }
}
