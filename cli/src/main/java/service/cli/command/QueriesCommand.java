package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.StoredQueryChecks;
import service.cli.client.GraphClient;
import service.cli.codegen.QueryCode;
import service.cli.render.TextTable;

/** Shows and checks stored queries. */
@Command(
        name = "queries",
        description = "Shows and checks the stored queries of a graph, and makes code of them.",
        footer = {"", "Example:", "  service queries list --server http://127.0.0.1:8080 --graph people"},
        subcommands = {QueriesCommand.ListAll.class, QueriesCommand.Validate.class, QueriesCommand.Codegen.class})
final class QueriesCommand {
    private QueriesCommand() {}

    /** {@code queries list}. */
    @Command(
            name = "list",
            description = "Lists the stored queries that may be invoked, with their parameters.",
            footer = {
                "",
                "Examples:",
                "  service queries list --server http://127.0.0.1:8080 --graph people",
                "  service queries list --cluster company --graph people --json"
            })
    static final class ListAll extends GraphCommand implements Narrowed {
        @Mixin
        FormatOption format = new FormatOption();

        @Override
        public Set<String> unusable() {
            return Set.of("--store");
        }

        @Override
        Answer ask(GraphClient graph) {
            return Answer.list("queries", graph.queries(), this::print);
        }

        private void print(ObjectNode answer, PrintWriter out) {
            TextTable table = new TextTable("QUERY", "DOES", "PARAMETERS", "DESCRIPTION");
            for (JsonNode query : answer.path("queries")) {
                List<String> params = new ArrayList<>();
                query.path("params").forEach(each -> params.add(parameter(each)));
                table.row(
                        query.path("name").asText(),
                        query.path("mutation").asBoolean() ? "writes" : "reads",
                        String.join(", ", params),
                        query.path("description").asText());
            }
            table.print(out, output.screen());
        }

        private static String parameter(JsonNode each) {
            return each.path("name").asText()
                    + ": "
                    + type(each)
                    + (each.path("nullable").asBoolean() ? "?" : "")
                    + (each.has("default") ? " = " + each.path("default") : "");
        }
    }

    /** The type of a parameter; that of an enum as a schema writes it, so that its values can be seen. */
    private static String type(JsonNode parameter) {
        if (parameter.has("values")) {
            List<String> values = new ArrayList<>();
            parameter.path("values").forEach(value -> values.add(value.asText()));
            return "enum(" + String.join(", ", values) + ")";
        }
        String kind = parameter.path("kind").asText();
        return kind.equals("list") ? "[" + parameter.path("item_kind").asText() + "]" : kind;
    }

    /** {@code queries codegen}. */
    @Command(
            name = "codegen",
            description = {
                "Writes a typed function for each stored query that may be invoked.",
                "Python needs the package service_graph, TypeScript the package @service/graph."
            },
            footer = {
                "",
                "Example:",
                "  service queries codegen --lang python --cluster company --graph people --out people.py"
            })
    static final class Codegen extends GraphCommand implements Narrowed {
        @Option(
                names = "--lang",
                required = true,
                paramLabel = "LANGUAGE",
                description = "One of ${COMPLETION-CANDIDATES}.")
        private QueryCode.Language language = QueryCode.Language.PYTHON;

        @Mixin
        private FileOption file = new FileOption();

        @Override
        public Set<String> unusable() {
            return Set.of("--store");
        }

        @Override
        @Nullable
        Answer ask(GraphClient graph) throws IOException {
            String code = language.write(graph.queries());
            return file.copy(output, "writing", into -> {
                try {
                    into.write(code.getBytes(StandardCharsets.UTF_8));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** {@code queries validate}. */
    @Command(
            name = "validate",
            description = {
                "Checks the applied stored queries of a cluster's graph against the schema that it has now.",
                "A server does not start a graph whose stored queries no longer fit. Exits with 1 where one does not."
            },
            footer = {"", "Example:", "  service queries validate --cluster company --graph people"})
    static final class Validate extends AnswerCommand implements Narrowed {
        @Mixin
        FormatOption format = new FormatOption();

        @Mixin
        private DirectoryOptions address = new DirectoryOptions();

        @Override
        public Set<String> unusable() {
            return Set.of("--store");
        }

        @Override
        Answer answer() {
            return Answer.list("queries", StoredQueryChecks.validate(address.directory()), Validate::print);
        }

        private static void print(ObjectNode report, PrintWriter out) {
            for (JsonNode query : report.path("queries")) {
                out.println(query.path("name").asText()
                        + ": "
                        + (query.path("ok").asBoolean()
                                ? "fits"
                                : query.path("error").asText()));
            }
        }
    }
}
