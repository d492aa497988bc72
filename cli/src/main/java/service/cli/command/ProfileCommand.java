package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import service.cli.boot.ClientConfig;
import service.cli.boot.ServiceConfig;
import service.cli.render.TextTable;

/** Shows the addresses that the configuration names. */
@Command(
        name = "profile",
        description = {
            "Shows the profiles of config.yaml: addresses under a name, for --profile.",
            "A profile has one of server, cluster and store, and may have graph and output."
        },
        footer = {"", "Example:", "  service profile list"},
        subcommands = {ProfileCommand.ListAll.class, ProfileCommand.Show.class})
final class ProfileCommand {
    private ProfileCommand() {}

    /** {@code profile list}. */
    @Command(
            name = "list",
            description = "Lists the profiles.",
            footer = {"", "Example:", "  service profile list --json"})
    static final class ListAll extends AnswerCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Override
        Answer answer() {
            ObjectNode answer = JsonNodeFactory.instance.objectNode();
            var profiles = answer.putArray("profiles");
            ClientConfig.read(ServiceConfig.environment()).profiles().forEach(profile -> profiles.add(json(profile)));
            return Answer.list("profiles", answer, this::print);
        }

        private void print(ObjectNode answer, PrintWriter out) {
            TextTable table = new TextTable("NAME", "ADDRESS", "GRAPH", "OUTPUT");
            for (JsonNode profile : answer.path("profiles")) {
                table.row(
                        profile.path("name").asText(),
                        address(profile),
                        profile.path("graph").asText("-"),
                        profile.path("output").asText("-"));
            }
            table.print(out, output.screen());
        }
    }

    /** {@code profile show}. */
    @Command(
            name = "show",
            description = "Shows one profile.",
            footer = {"", "Example:", "  service profile show work"})
    static final class Show extends AnswerCommand {
        @Mixin
        FormatOption format = new FormatOption();

        @Parameters(index = "0", paramLabel = "NAME", description = "The profile's name.")
        private String name = "";

        @Override
        Answer answer() {
            return Answer.of(
                    json(ClientConfig.read(ServiceConfig.environment()).profile(name)),
                    (profile, out) -> profile.properties()
                            .forEach(entry -> out.printf(
                                    "%-8s %s%n",
                                    entry.getKey(), entry.getValue().asText("-"))));
        }
    }

    private static ObjectNode json(ClientConfig.Profile profile) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("name", profile.name())
                .put("server", profile.server())
                .put("cluster", profile.cluster())
                .put("store", profile.store())
                .put("graph", profile.graph())
                .put("output", profile.output());
    }

    private static String address(JsonNode profile) {
        for (String kind : new String[] {"server", "cluster", "store"}) {
            if (profile.path(kind).isTextual()) {
                return kind + " " + profile.path(kind).asText();
            }
        }
        return "-";
    }
}
