package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.boot.Stores;

/** Shows the size of a graph. */
@Command(
        name = "stats",
        description = "Shows the size of a graph.",
        footer = {"", "Example:", "  service stats --store people"})
final class StatsCommand implements Callable<Integer> {
    @Mixin
    private AddressOptions address = new AddressOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        ObjectNode stats = Stores.stats(address.directory());
        output.print(
                stats,
                (answer, out) -> answer.properties()
                        .forEach(entry -> out.printf(
                                "%-18s %s%n",
                                entry.getKey().replace("_", " "),
                                entry.getValue().asText())));
        return 0;
    }
}
