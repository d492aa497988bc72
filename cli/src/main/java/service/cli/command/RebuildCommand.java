package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.boot.GraphMaintenance;

/** Drops the tables of a graph and rebuilds them from its log. */
@Command(
        name = "rebuild",
        description = "Drops the tables of a graph and rebuilds them from its log.",
        footer = {"", "Example:", "  service rebuild --store people"})
final class RebuildCommand extends AnswerCommand {
    @Mixin
    private DirectoryOptions address = new DirectoryOptions();

    @Override
    Answer answer() {
        try (Progress progress = new Progress(output, "replaying", "events")) {
            ObjectNode report = GraphMaintenance.rebuild(address.directory(), progress::reached);
            return Answer.line(
                    report, "rebuilt; events replayed: " + report.path("events").asLong());
        }
    }
}
