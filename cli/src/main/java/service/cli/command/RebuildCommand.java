package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.wire.Stores;

/** Drops the tables of a graph and makes them anew from its log. */
@Command(
        name = "rebuild",
        description = "Drops the tables of a graph and makes them anew from its log.",
        footer = {"", "Example:", "  service rebuild --store people"})
final class RebuildCommand implements Callable<Integer> {
    @Mixin private AddressOptions address = new AddressOptions();
    @Mixin private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        ObjectNode report =
                Stores.rebuild(address.directory(), new Progress(output, "replayed")::events);
        output.print(
                report,
                (answer, out) ->
                        out.println("rebuilt from " + answer.path("events").asLong() + " events"));
        return 0;
    }
}
