package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.boot.Clusters;
import service.cli.client.ServerHttp;
import service.cli.render.TextTable;

/** Lists graphs. */
@Command(
        name = "graphs",
        description = "Lists the graphs of a server or a cluster.",
        footer = {"", "Example:", "  service graphs list --server http://127.0.0.1:8080"},
        subcommands = {GraphsCommand.ListAll.class, GraphsCommand.Discover.class})
final class GraphsCommand {
    private GraphsCommand() {}

    /** {@code graphs list}. */
    @Command(
            name = "list",
            description = {
                "Lists the graphs of a server, or those that a server of the cluster would serve.",
                "A graph that cannot be opened safely is quarantined; the reason is listed with it."
            },
            footer = {
                "",
                "Examples:",
                "  service graphs list --server http://127.0.0.1:8080",
                "  service graphs list --cluster company"
            })
    static final class ListAll extends AnswerCommand implements Narrowed {
        @Mixin
        FormatOption format = new FormatOption();

        @Mixin
        private AddressOptions address = new AddressOptions();

        @Override
        public Set<String> unusable() {
            return Set.of("--store", "--graph", "--as");
        }

        @Override
        Answer answer() {
            String root = address.clusterRootOrNull();
            return Answer.list("graphs", root != null ? Clusters.graphs(root) : ask(address, "graphs"), this::print);
        }

        private void print(ObjectNode answer, PrintWriter out) {
            TextTable table = new TextTable("GRAPH", "STATE", "REASON");
            for (JsonNode graph : answer.path("graphs")) {
                table.row(
                        graph.path("graph_id").asText(),
                        graph.path("state").asText(),
                        graph.path("reason").asText());
            }
            table.print(out, output.screen());
        }
    }

    /** {@code graphs discover}. */
    @Command(
            name = "discover",
            description = {
                "Lists the ids of a server's graphs, quarantined ones too.",
                "Answers every caller with an identity credential, without asking the policy."
            },
            footer = {"", "Example:", "  service graphs discover --server work"})
    static final class Discover extends AnswerCommand implements Narrowed {
        @Mixin
        FormatOption format = new FormatOption();

        @Mixin
        private AddressOptions address = new AddressOptions();

        @Override
        public Set<String> unusable() {
            return Set.of("--cluster", "--store", "--graph", "--as");
        }

        @Override
        Answer answer() {
            return Answer.list(
                    "graphs",
                    ask(address, "graphs/discovery"),
                    (answer, out) -> answer.path("graphs")
                            .forEach(graph -> out.println(graph.path("graph_id").asText())));
        }
    }

    private static ObjectNode ask(AddressOptions address, String path) {
        try (ServerHttp server = address.server()) {
            return server.get(path);
        }
    }
}
