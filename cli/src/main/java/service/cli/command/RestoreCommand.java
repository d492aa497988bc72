package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.GraphAddress;
import service.cli.boot.GraphMaintenance;

/** Makes a graph from a backup. */
@Command(
        name = "restore",
        description = {
            "Makes a graph from a backup, in a store that does not exist, or as a cluster's graph whose directory is missing.",
            "Checks the digest and every event's place in the chain before the graph appears."
        },
        footer = {
            "",
            "Examples:",
            "  service restore --from people.backup --store people",
            "  service restore --from people.backup --cluster company --graph people"
        })
final class RestoreCommand extends AnswerCommand {
    @Mixin
    private DirectoryOptions address = new DirectoryOptions();

    @Mixin
    private ConfirmOption confirm = new ConfirmOption();

    @Option(
            names = "--from",
            required = true,
            paramLabel = "FILE|-",
            description = "A file written by `service backup`, or - for standard input.")
    private String from = "-";

    @Override
    Answer answer() {
        GraphAddress destination = address.destination();
        confirm.require(address, output, "make a graph in " + destination.place());
        try (Progress progress = new Progress(output, "restoring", "events")) {
            ObjectNode report = GraphMaintenance.restore(from, destination, progress::reached);
            return Answer.line(
                    report,
                    "restored %d events of graph %s into %s"
                            .formatted(
                                    report.path("events").asLong(),
                                    report.path("graph_id").asText(),
                                    report.path("directory").asText()));
        }
    }
}
