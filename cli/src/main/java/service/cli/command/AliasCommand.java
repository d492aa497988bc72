package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import service.cli.boot.ClientConfig;
import service.cli.boot.ServiceConfig;
import service.cli.render.TextTable;

/** Shows the short names of stored reads. */
@Command(
        name = "alias",
        description = {
            "Shows the aliases of config.yaml: short names of stored reads.",
            "With aliases: { who: { query: person_by_name, args: [name], server: work, graph: people } }",
            "`service who Ada` runs `service query person_by_name -p name=Ada --server work --graph people`."
        },
        footer = {"", "Example:", "  service alias list"},
        subcommands = AliasCommand.ListAll.class)
final class AliasCommand {
    private AliasCommand() {}

    /** {@code alias list}. */
    @Command(
            name = "list",
            description = "Lists the aliases. One with the name of a command is listed as hidden: the command runs.",
            footer = {"", "Example:", "  service alias list --json"})
    static final class ListAll extends AnswerCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Spec
        private @Nullable CommandSpec spec;

        @Override
        Answer answer() {
            Set<String> commands = Objects.requireNonNull(spec)
                    .root()
                    .commandLine()
                    .getSubcommands()
                    .keySet();
            ObjectNode answer = JsonNodeFactory.instance.objectNode();
            ArrayNode aliases = answer.putArray("aliases");
            ClientConfig config = ClientConfig.read(ServiceConfig.environment());
            for (Object name : config.aliases().keySet()) {
                var alias = config.alias(name.toString());
                if (alias != null) {
                    aliases.addObject()
                            .put("name", name.toString())
                            .put("usage", Aliases.usage(name.toString(), alias))
                            .put("query", Aliases.query(name.toString(), alias))
                            .put("hidden", commands.contains(name.toString()));
                }
            }
            return Answer.list("aliases", answer, this::print);
        }

        private void print(ObjectNode answer, PrintWriter out) {
            TextTable table = new TextTable("TYPE", "RUNS");
            for (JsonNode alias : answer.path("aliases")) {
                table.row(
                        "service " + alias.path("usage").asText(),
                        alias.path("hidden").asBoolean()
                                ? "- (hidden by the command of that name)"
                                : "query " + alias.path("query").asText());
            }
            table.print(out, output.screen());
        }
    }
}
