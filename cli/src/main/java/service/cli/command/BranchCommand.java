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
import service.cli.render.TextTable;
import service.cli.render.Times;

/** Makes, shows, compares, merges, upgrades and deletes branches. */
@Command(
        name = "branch",
        description = "Makes, shows, compares, merges, upgrades and deletes branches.",
        footer = {"", "Example:", "  service branch create review/a --store people"},
        subcommands = {
            BranchCommand.Create.class,
            BranchCommand.ListAll.class,
            BranchCommand.Show.class,
            BranchCommand.Log.class,
            BranchCommand.Delete.class,
            UndoCommand.Restore.class,
            BranchUpgradeCommand.class,
            BranchMergeCommand.class,
            BranchDiffCommand.class
        })
final class BranchCommand {
    private BranchCommand() {}

    /** {@code branch create}. */
    @Command(
            name = "create",
            description = "Makes a branch from another branch's head, or from any readable commit.",
            footer = {
                "",
                "Example:",
                "  service branch create review/a --from main --store people",
                "  service branch create before --from main@2h --store people"
            })
    static final class Create extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Parameters(index = "0", paramLabel = "NAME", description = "The new branch.")
        private String name = "";

        @Option(
                names = "--from",
                paramLabel = "REF",
                description = "The branch, or the commit, to start from (default: main).")
        private @Nullable String from;

        @Mixin
        private NoteOptions note = new NoteOptions();

        @Override
        GraphClient open() {
            return address.writer();
        }

        @Override
        Answer ask(GraphClient graph) {
            return Answer.of(graph.createBranch(name, from, note.note()), BranchCommand::printOne);
        }
    }

    /** {@code branch list}. */
    @Command(
            name = "list",
            description = "Lists the branches by name, or the deleted ones that are still readable.",
            footer = {
                "",
                "Examples:",
                "  service branch list --store people",
                "  service branch list --deleted --store people"
            })
    static final class ListAll extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Option(names = "--deleted", description = "List deleted branches, the one that was made last first.")
        private boolean deleted;

        @Mixin
        private PageOptions page = new PageOptions();

        @Override
        void check() {
            if (!deleted && page.isGiven()) {
                throw CommandFailure.usage("--limit and --before go with --deleted");
            }
            page.check();
        }

        @Override
        Answer ask(GraphClient graph) {
            return deleted
                    ? Answer.list("branches", graph.deletedBranches(page.limit(), page.before()), this::printDeleted)
                    : Answer.list("branches", graph.branches(), this::printAll);
        }

        private void printDeleted(ObjectNode answer, PrintWriter out) {
            TextTable table = new TextTable("NAME", "LAST COMMIT", "PARENT", "DELETED", "BY", "MESSAGE");
            for (JsonNode branch : answer.path("branches")) {
                table.row(
                        branch.path("name").asText(),
                        branch.path("head_commit_id").asText(),
                        branch.path("parent_branch").asText("-"),
                        Times.relative(branch.path("deleted_at").asText()),
                        branch.path("deleted_by").asText("-"),
                        NoteText.firstLine(branch));
            }
            table.print(out, output.screen());
            if (!answer.path("branches").isEmpty()) {
                output.note("`service branch create NAME --from LAST_COMMIT` brings one back");
            }
            page.noteMore(answer, output);
        }

        private void printAll(ObjectNode answer, PrintWriter out) {
            TextTable table = new TextTable("NAME", "HEAD", "PARENT", "CREATED", "BY");
            for (JsonNode branch : answer.path("branches")) {
                table.row(
                        branch.path("name").asText(),
                        branch.path("head_commit_id").asText(),
                        branch.path("parent_branch").asText("-"),
                        Times.relative(branch.path("created_at").asText()),
                        branch.path("created_by").asText("-"));
            }
            table.print(out, output.screen());
        }
    }

    /** {@code branch log}. */
    @Command(
            name = "log",
            description = "Shows how a branch has moved: its creation, commits, fast-forwards, merges and restores.",
            footer = {"", "Example:", "  service branch log main --store people"})
    static final class Log extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Parameters(index = "0", paramLabel = "NAME", description = "The branch.")
        private String name = "";

        @Mixin
        private PageOptions page = new PageOptions();

        @Override
        void check() {
            page.check();
        }

        @Override
        Answer ask(GraphClient graph) {
            return Answer.list("moves", graph.moves(name, page.limit(), page.before()), this::printAll);
        }

        private void printAll(ObjectNode answer, PrintWriter out) {
            TextTable table = new TextTable("KIND", "FROM", "TO", "ACTOR", "AT", "MESSAGE");
            for (JsonNode move : answer.path("moves")) {
                table.row(
                        move.path("kind").asText(),
                        move.path("from_commit_id").asText("-"),
                        move.path("to_commit_id").asText(),
                        move.path("actor_id").asText("-"),
                        Times.relative(move.path("at").asText()),
                        NoteText.firstLine(move));
            }
            table.print(out, output.screen());
            page.noteMore(answer, output);
        }
    }

    /** {@code branch show}. */
    @Command(
            name = "show",
            description = "Shows one branch.",
            footer = {"", "Example:", "  service branch show review/a --store people"})
    static final class Show extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Parameters(index = "0", paramLabel = "NAME", description = "The branch.")
        private String name = "";

        @Override
        Answer ask(GraphClient graph) {
            return Answer.of(graph.branch(name), BranchCommand::printOne);
        }
    }

    /** {@code branch delete}. */
    @Command(
            name = "delete",
            description = "Deletes a branch; its commits stay readable by id while they are kept.",
            footer = {"", "Example:", "  service branch delete review/a --store people"})
    static final class Delete extends GraphCommand {
        @Parameters(index = "0", paramLabel = "NAME", description = "The branch.")
        private String name = "";

        @Mixin
        private ConfirmOption confirm = new ConfirmOption();

        @Mixin
        private NoteOptions note = new NoteOptions();

        @Override
        void check() {
            confirm.require(address, output, "delete branch `" + name + "`");
        }

        @Override
        GraphClient open() {
            return address.writer();
        }

        @Override
        Answer ask(GraphClient graph) {
            ObjectNode branch = graph.deleteBranch(name, note.note());
            output.note("to bring it back: service branch create " + name + " --from "
                    + branch.path("head_commit_id").asText());
            return Answer.line(branch, "deleted branch " + name);
        }
    }

    private static void printOne(JsonNode branch, PrintWriter out) {
        out.println("branch   " + branch.path("name").asText());
        out.println("head     " + branch.path("head_commit_id").asText());
        if (branch.path("parent_branch").isTextual()) {
            out.println("forked   from "
                    + branch.path("parent_branch").asText()
                    + " at "
                    + branch.path("fork_commit_id").asText());
        }
        out.println("created  "
                + Times.relative(branch.path("created_at").asText())
                + (branch.path("created_by").isTextual()
                        ? " by " + branch.path("created_by").asText()
                        : ""));
    }
}
