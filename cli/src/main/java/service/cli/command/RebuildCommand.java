package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.boot.Stores;

/** Drops the tables of a graph and makes them anew from its log. */
@Command(
        name = "rebuild",
        description = "Drops the tables of a graph and makes them anew from its log.",
        footer = {"", "Example:", "  service rebuild --store people"})
final class RebuildCommand implements Callable<Integer> {
    @Mixin
    private AddressOptions address = new AddressOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        ObjectNode report;
        try (Progress progress = new Progress(output, "replaying", "events")) {
            report = Stores.rebuild(address.directory(), progress::reached);
        }
        output.print(
                report,
                (answer, out) -> out.println(
                        "rebuilt; events replayed: " + answer.path("events").asLong()));
        return 0;
    }
}
