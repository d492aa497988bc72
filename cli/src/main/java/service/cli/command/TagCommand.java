package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.GraphClient;
import service.cli.render.TextTable;
import service.cli.render.Times;
import service.core.value.VisibleText;

/** Names commits. */
@Command(
        name = "tag",
        description = {
            "Names commits, and shows and deletes the names.",
            "A tag does not move, and cleanup keeps what its state needs."
        },
        footer = {"", "Example:", "  service tag create 2026-q3 -m 'what the report was made of' --store people"},
        subcommands = {TagCommand.Create.class, TagCommand.ListAll.class, TagCommand.Show.class, TagCommand.Delete.class
        })
final class TagCommand {
    private TagCommand() {}

    /** {@code tag create}. */
    @Command(
            name = "create",
            description = "Names a commit.",
            footer = {
                "",
                "Examples:",
                "  service tag create 2026-q3 --store people",
                "  service tag create before-the-load main~1 -m 'the last good state' --store people"
            })
    static final class Create extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Parameters(index = "0", paramLabel = "NAME", description = "The new tag.")
        private String name = "";

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "REF",
                description = "The commit (default: the head of main).")
        private String ref = "main";

        @Option(
                names = {"-m", "--message"},
                paramLabel = "TEXT",
                description = "What the tag is for.")
        private @Nullable String message;

        @Option(
                names = "--idempotency-key",
                paramLabel = "KEY",
                description = "Write once: a repeat under the same key gets the first answer.")
        private @Nullable String key;

        @Override
        GraphClient open() {
            return address.writer();
        }

        @Override
        Answer ask(GraphClient graph) {
            return Answer.of(graph.past().createTag(name, ref, message, key), TagCommand::printOne);
        }
    }

    /** {@code tag list}. */
    @Command(
            name = "list",
            description = "Lists the tags by name.",
            footer = {"", "Example:", "  service tag list --store people"})
    static final class ListAll extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Override
        Answer ask(GraphClient graph) {
            ObjectNode all = graph.past().tags(null);
            ArrayNode tags = all.withArray("tags");
            while (all.has("next_after")) {
                ObjectNode next = graph.past().tags(all.path("next_after").asText());
                all.remove("next_after");
                tags.addAll((ArrayNode) next.path("tags"));
                if (next.has("next_after")) {
                    all.set("next_after", next.get("next_after"));
                }
            }
            return Answer.list("tags", all, this::printAll);
        }

        private void printAll(ObjectNode answer, PrintWriter out) {
            TextTable table = new TextTable("NAME", "COMMIT", "CREATED", "BY", "MESSAGE");
            for (JsonNode tag : answer.path("tags")) {
                table.row(
                        tag.path("name").asText(),
                        tag.path("commit_id").asText(),
                        Times.relative(tag.path("created_at").asText()),
                        tag.path("created_by").asText("-"),
                        VisibleText.oneLine(tag.path("message")
                                .asText("")
                                .lines()
                                .findFirst()
                                .orElse("")));
            }
            table.print(out, output.screen());
        }
    }

    /** {@code tag show}. */
    @Command(
            name = "show",
            description = "Shows one tag.",
            footer = {"", "Example:", "  service tag show 2026-q3 --store people"})
    static final class Show extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Parameters(index = "0", paramLabel = "NAME", description = "The tag.")
        private String name = "";

        @Override
        Answer ask(GraphClient graph) {
            return Answer.of(graph.past().tag(name), TagCommand::printOne);
        }
    }

    /** {@code tag delete}. */
    @Command(
            name = "delete",
            description = "Deletes a tag; the commit stays, but the next cleanup may take its state.",
            footer = {"", "Example:", "  service tag delete 2026-q3 --store people"})
    static final class Delete extends GraphCommand {
        @Parameters(index = "0", paramLabel = "NAME", description = "The tag.")
        private String name = "";

        @Mixin
        private ConfirmOption confirm = new ConfirmOption();

        @Override
        void check() {
            confirm.require(address, output, "delete tag `" + name + "`");
        }

        @Override
        GraphClient open() {
            return address.writer();
        }

        @Override
        Answer ask(GraphClient graph) {
            ObjectNode tag = graph.past().deleteTag(name);
            return Answer.line(
                    tag,
                    "deleted tag " + name + ", which named "
                            + tag.path("commit_id").asText());
        }
    }

    private static void printOne(JsonNode tag, PrintWriter out) {
        out.println("tag      " + tag.path("name").asText());
        out.println("commit   " + tag.path("commit_id").asText());
        out.println("created  "
                + Times.relative(tag.path("created_at").asText())
                + (tag.path("created_by").isTextual()
                        ? " by " + tag.path("created_by").asText()
                        : ""));
        if (tag.has("message")) {
            out.println();
            tag.path("message").asText().lines().forEach(line -> out.println("  " + VisibleText.oneLine(line)));
        }
    }
}
