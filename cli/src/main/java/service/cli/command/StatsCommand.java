package service.cli.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.boot.GraphMaintenance;

/** Shows the size of a graph. */
@Command(
        name = "stats",
        description = "Shows the size of a graph.",
        footer = {"", "Example:", "  service stats --store people"})
final class StatsCommand extends AnswerCommand {
    @Mixin
    FormatOption format = new FormatOption();

    @Mixin
    private DirectoryOptions address = new DirectoryOptions();

    @Override
    Answer answer() {
        return Answer.of(
                GraphMaintenance.stats(address.directory()),
                (answer, out) -> answer.properties()
                        .forEach(entry -> out.printf(
                                "%-18s %s%n",
                                entry.getKey().replace("_", " "),
                                entry.getValue().asText())));
    }
}
