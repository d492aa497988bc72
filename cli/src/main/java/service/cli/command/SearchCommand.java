package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.boot.GraphMaintenance;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.TextTable;
import service.core.error.Suggestion;
import service.core.port.Branch;
import service.core.schema.AnalyzerName;
import service.core.value.VisibleText;
import service.projection.search.TextAnalyzer;

/** Looks after the search indexes of a graph. */
@Command(
        name = "search",
        description = {
            "Shows, rebuilds and checks the indexes of a graph's searched properties.",
            "Searches answer the same with and without them; indexes make searches fast."
        },
        footer = {"", "Example:", "  service search status --store people"},
        subcommands = {
            SearchCommand.Status.class,
            SearchCommand.Rebuild.class,
            SearchCommand.Verify.class,
            SearchCommand.Terms.class
        })
final class SearchCommand {
    private static final long POLL_MILLIS = 100;

    private SearchCommand() {}

    /** {@code search status}. */
    @Command(
            name = "status",
            description = "Shows what the indexes hold, and what they do not have yet.",
            footer = {"", "Example:", "  service search status --store people"})
    static final class Status extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Override
        Answer ask(GraphClient graph) {
            return Answer.list("properties", graph.searchIndexes(), (answer, out) -> print(answer, out, output));
        }
    }

    /** {@code search rebuild}. */
    @Command(
            name = "rebuild",
            description = {
                "Drops indexes and builds them anew, while the graph serves.",
                "A server goes on with it after the command; in a directory the command waits until they are built."
            },
            footer = {
                "",
                "Examples:",
                "  service search rebuild --server http://127.0.0.1:8080 --graph people",
                "  service search rebuild Chunk.body --store people"
            })
    static final class Rebuild extends GraphCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Parameters(
                paramLabel = "TYPE.PROPERTY",
                arity = "0..*",
                description = "Only the indexes of these properties (default: all).")
        private List<String> properties = List.of();

        @Override
        GraphClient open() {
            return address.writer();
        }

        @Override
        Answer ask(GraphClient graph) throws InterruptedException {
            ObjectNode status = graph.rebuildSearch(properties);
            while (!address.isRemote() && isBuilding(status)) {
                Thread.sleep(POLL_MILLIS);
                status = graph.searchIndexes();
            }
            return Answer.list("properties", status, (answer, out) -> print(answer, out, output));
        }

        private static boolean isBuilding(ObjectNode status) {
            return status.path("properties").findValuesAsText("state").contains("building");
        }
    }

    /** {@code search verify}. */
    @Command(
            name = "verify",
            description = "Compares an index with what it was made from, and shows the first difference.",
            footer = {"", "Example:", "  service search verify --branch review/a --store people"})
    static final class Verify extends AnswerCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Mixin
        private DirectoryOptions address = new DirectoryOptions();

        @Option(names = "--branch", paramLabel = "BRANCH", description = "The branch (default: main).")
        private String branch = Branch.MAIN;

        @Override
        Answer answer() {
            ObjectNode report = Progress.during(
                    output, "verifying", () -> GraphMaintenance.verifySearch(address.directory(), branch));
            return Answer.of(report, (answer, out) -> out.println(said(answer)));
        }

        private String said(JsonNode answer) {
            if (!answer.path("ok").asBoolean()) {
                return answer.path("difference").asText();
            }
            return answer.path("compared").asBoolean()
                    ? "sound: the index has what branch " + branch + " has"
                    : "nothing to compare: no index on disk serves branch " + branch + ", so searches read its records";
        }
    }

    /** {@code search terms}. */
    @Command(
            name = "terms",
            description = "Shows the terms that an analyzer makes of a text, one a line.",
            footer = {"", "Example:", "  service search terms --analyzer english 'Running late'"})
    static final class Terms extends AnswerCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Option(names = "--analyzer", paramLabel = "NAME", description = "The analyzer (default: standard).")
        private String analyzer = AnalyzerName.STANDARD.text();

        @Parameters(index = "0", paramLabel = "TEXT", description = "The text.")
        private String text = "";

        @Override
        Answer answer() {
            AnalyzerName name = AnalyzerName.named(analyzer);
            if (name == null) {
                String hint = Suggestion.didYouMean(analyzer, AnalyzerName.names());
                throw CommandFailure.usage("--analyzer `" + analyzer + "` is unknown; "
                        + (hint == null ? "there are " + String.join(", ", AnalyzerName.names()) : hint));
            }
            ObjectNode answer = JsonNodeFactory.instance.objectNode().put("analyzer", name.text());
            TextAnalyzer.of(name).terms(text).forEach(answer.putArray("terms")::add);
            return Answer.of(
                    answer,
                    (terms, out) ->
                            terms.path("terms").forEach(term -> out.println(VisibleText.oneLine(term.asText()))));
        }
    }

    private static void print(ObjectNode answer, PrintWriter out, OutputOptions output) {
        TextTable table = new TextTable("PROPERTY", "INDEX", "BY", "STATE", "INDEXED", "OF", "BYTES");
        for (JsonNode line : answer.path("properties")) {
            table.row(
                    line.path("type_name").asText() + "."
                            + line.path("property").asText(),
                    line.path("index").asText(),
                    line.has("metric")
                            ? line.path("metric").asText()
                            : line.path("analyzer").asText(),
                    line.path("state").asText(),
                    line.path("indexed").asText(),
                    line.path("expected").asText(),
                    line.path("bytes").asText());
        }
        if (answer.path("properties").isEmpty()) {
            output.note("the schema has no property with @search");
        } else {
            table.print(out, output.screen());
        }
        printReasons(answer, output);
        TextTable branches = new TextTable("BRANCH", "OWN ENTITIES", "BYTES");
        answer.path("branches")
                .forEach(branch -> branches.row(
                        branch.path("name").asText(),
                        branch.path("own_entities").asText(),
                        branch.path("bytes").asText()));
        if (!answer.path("branches").isEmpty()) {
            branches.print(out, output.screen());
        }
        if (answer.path("lag").asLong() > 0) {
            output.note(TextTable.counted(answer.path("lag").asLong(), "event")
                    + " not indexed yet; searches read them directly");
        }
    }

    private static void printReasons(ObjectNode answer, OutputOptions output) {
        for (JsonNode line : answer.path("properties")) {
            if (line.has("reason")) {
                output.note("%s.%s is %s: %s"
                        .formatted(
                                line.path("type_name").asText(),
                                line.path("property").asText(),
                                line.path("state").asText(),
                                line.path("reason").asText()));
            }
        }
    }
}
