package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.Rows;
import service.core.error.ServiceException;

/** The commands that make a commit of another one. */
abstract class UndoCommand extends GraphCommand {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Mixin
    FormatOption format = new FormatOption();

    @Option(names = "--dry-run", description = "Write nothing; show what would be done and every conflict.")
    private boolean dryRun;

    @Mixin
    private WriteOptions write = new WriteOptions();

    /**
     * The route, the branch and the words of one command.
     *
     * @param done what has happened to the commit
     */
    record Undo(String ref, String branch, String done, List<String> path) {}

    abstract Undo undo();

    /** Adds what the command has beyond the options of all. */
    abstract void complete(ObjectNode body, UnaryOperator<ObjectNode> preview);

    /** A refusal in the words of the command line. */
    CommandFailure named(CommandFailure failure) {
        return failure;
    }

    @Override
    GraphClient open() {
        return address.writer();
    }

    @Override
    Answer ask(GraphClient graph) {
        Undo undo = undo();
        ObjectNode body = JSON.createObjectNode();
        complete(body, preview -> graph.undo(preview, null, null, undo.path));
        body.put("dry_run", dryRun);
        write.note.addTo(body);
        try {
            ObjectNode result =
                    Progress.during(output, "writing", () -> graph.undo(body, write.condition, write.key, undo.path));
            return Answer.of(result, (answer, out) -> print(undo, answer, out));
        } catch (CommandFailure | ServiceException refused) {
            CommandFailure failure = Failures.describe(refused);
            ObjectNode refusal = failure.body();
            if (output.format() != Rows.Format.table || refusal == null || !refusal.has("merge_conflicts")) {
                throw named(failure);
            }
            conflicts(refusal, undo, output.out());
            throw new CommandFailure(
                    failure.exitCode(),
                    "commit `" + undo.ref + "` cannot be " + undo.done + " on branch `" + undo.branch + "`: "
                            + MergeConflicts.counted(refusal));
        }
    }

    private void conflicts(JsonNode found, Undo undo, PrintWriter out) {
        // Only where properties are compared, a conflict names some.
        boolean byProperty = comparesProperties();
        for (JsonNode conflict : found.path("merge_conflicts")) {
            byProperty |= conflict.has("properties");
        }
        new MergeConflicts(found, sides(undo, byProperty), byProperty).print(out, output.screen());
    }

    /** Whether the command says that properties are compared one by one. */
    boolean comparesProperties() {
        return false;
    }

    /** What the sides of a conflict are. */
    abstract MergeConflicts.Sides sides(Undo undo, boolean byProperty);

    private void print(Undo undo, JsonNode result, PrintWriter out) {
        String outcome = result.path("outcome").asText();
        String would = dryRun ? "would be " : "";
        out.println(undo.ref + " on " + undo.branch + ": "
                + switch (outcome) {
                    case "already_up_to_date" -> "nothing to do";
                    case "conflict" -> "would be refused, because there are conflicts";
                    default -> would + undo.done;
                });
        JsonNode preview = result.path("preview");
        if (preview.isObject()) {
            out.println("changes    " + preview.path("changes").asLong());
            out.println("conflicts  " + preview.path("conflict_count").asLong());
            if (!preview.path("merge_conflicts").isEmpty()) {
                conflicts(preview, undo, out);
            }
        }
        if (result.path("commit").isObject()) {
            out.println("commit     " + result.at("/commit/graph_commit_id").asText());
        }
        for (JsonNode left : result.path("left_out")) {
            out.println("left out   "
                    + (left.has("property")
                            ? "property " + left.path("property").asText() + " of "
                            : "")
                    + left.path("entity_kind").asText() + " "
                    + left.path("type_name").asText()
                    + ", which the schema does not have any more: "
                    + left.path("count").asLong());
        }
    }

    /** A command with conflicts and resolutions. */
    abstract static class OfCommit extends UndoCommand {
        @Mixin
        private ResolveOptions resolve = new ResolveOptions();

        @Option(
                names = "--granularity",
                paramLabel = "UNIT",
                description = "What is compared for conflicts: entity or property.")
        private @Nullable Unit granularity;

        /** The words of {@code --granularity}. */
        enum Unit {
            entity,
            property
        }

        @Override
        void complete(ObjectNode body, UnaryOperator<ObjectNode> preview) {
            body.put("branch", undo().branch);
            if (granularity != null) {
                body.put("granularity", granularity.name());
            }
            resolve.addTo(body, preview);
        }

        @Override
        CommandFailure named(CommandFailure failure) {
            return resolve.named(failure);
        }

        @Override
        boolean comparesProperties() {
            return granularity == Unit.property;
        }

        /** The sides where the base is called {@code base}, and the source {@code source}. */
        static MergeConflicts.Sides sides(Undo undo, String base, String source, String taken, String again) {
            return new MergeConflicts.Sides(
                    base, source, undo.branch, taken, undo.branch, again, "--granularity property");
        }
    }

    /** {@code commit revert}. */
    @Command(
            name = "revert",
            description = "Takes back what a commit changed, by one new commit; later changes are kept.",
            footer = {
                "",
                "Examples:",
                "  service commit revert main~1 --store people",
                "  service commit revert main~3..main --dry-run --store people"
            })
    static final class Revert extends OfCommit {
        @Parameters(index = "0", paramLabel = "REF", description = "The commit, or A..B: those after A up to B.")
        private String ref = "";

        @Option(names = "--branch", paramLabel = "NAME", description = "The branch (default: main).")
        private String branch = "main";

        @Override
        Undo undo() {
            return new Undo(ref, branch, "reverted", List.of("commits", ref, "revert"));
        }

        @Override
        MergeConflicts.Sides sides(Undo undo, boolean byProperty) {
            String taken = (byProperty ? "it was" : "they were") + " before " + ref;
            return sides(
                    undo,
                    "commit",
                    "before",
                    taken,
                    ref.contains("..")
                            ? "revert again"
                            : "revert again; `service commit revert " + ref + "~1.." + branch
                                    + "` takes back what came after, too");
        }
    }

    /** {@code commit pick}. */
    @Command(
            name = "pick",
            description = "Makes the changes of a commit on another branch, by one new commit.",
            footer = {"", "Example:", "  service commit pick review/a~1 --branch main --store people"})
    static final class Pick extends OfCommit {
        @Parameters(index = "0", paramLabel = "REF", description = "The commit.")
        private String ref = "";

        @Option(names = "--branch", paramLabel = "NAME", required = true, description = "The branch.")
        private String branch = "";

        @Override
        Undo undo() {
            return new Undo(ref, branch, "picked", List.of("commits", ref, "pick"));
        }

        @Override
        MergeConflicts.Sides sides(Undo undo, boolean byProperty) {
            return sides(undo, "before", "commit", ref + (byProperty ? " made it" : " made them"), "pick again");
        }
    }

    /** {@code branch restore}. */
    @Command(
            name = "restore",
            description = "Gives a branch the state of a commit, by one new commit; the history stays.",
            footer = {"", "Example:", "  service branch restore main --to main@2h --store people"})
    static final class Restore extends UndoCommand {
        @Parameters(index = "0", paramLabel = "NAME", description = "The branch.")
        private String branch = "";

        @Option(names = "--to", paramLabel = "REF", required = true, description = "The commit.")
        private String ref = "";

        @Override
        Undo undo() {
            return new Undo(ref, branch, "restored", List.of("branches", branch, "restore"));
        }

        @Override
        MergeConflicts.Sides sides(Undo undo, boolean byProperty) {
            throw new IllegalStateException("a restore has no conflicts");
        }

        @Override
        void complete(ObjectNode body, UnaryOperator<ObjectNode> preview) {
            body.put("to", ref);
        }
    }
}
