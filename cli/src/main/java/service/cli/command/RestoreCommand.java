package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.GraphDirectory;
import service.cli.boot.Maintenance;

/** Makes a graph of a backup. */
@Command(
        name = "restore",
        description = {
            "Makes a graph of a backup, in a store that does not exist, or as a cluster's graph whose directory is missing.",
            "Checks the digest and every event's place in the chain before the graph appears."
        },
        footer = {
            "",
            "Examples:",
            "  service restore --from people.backup --store people",
            "  service restore --from people.backup --cluster company --graph people"
        })
final class RestoreCommand implements Callable<Integer> {
    @Mixin
    private AddressOptions address = new AddressOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private ConfirmOption confirm = new ConfirmOption();

    @Option(
            names = "--from",
            required = true,
            paramLabel = "FILE|-",
            description = "What `service backup` has written, or - for standard input.")
    private String from = "-";

    @Override
    public Integer call() {
        GraphDirectory destination = address.destination();
        confirm.require(address, output, "make a graph in " + destination.path());
        ObjectNode report;
        try (Progress progress = new Progress(output, "restoring", "events")) {
            report = Maintenance.restore(from, destination, progress::reached);
        }
        output.print(
                report,
                (answer, out) -> out.printf(
                        "restored %d events of graph %s into %s%n",
                        answer.path("events").asLong(),
                        answer.path("graph_id").asText(),
                        answer.path("directory").asText()));
        return 0;
    }
}
