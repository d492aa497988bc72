package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.boot.GraphMaintenance;

/** Returns disk space that cleanup freed to the file system. */
@Command(
        name = "compact",
        description = {
            "Returns disk space that cleanup freed to the file system.",
            "No other process may have the graph open. Needs free space for a copy."
        },
        footer = {"", "Example:", "  service compact --store people"})
final class CompactCommand extends AnswerCommand {
    @Mixin
    private DirectoryOptions address = new DirectoryOptions();

    @Override
    Answer answer() {
        ObjectNode report = Progress.during(output, "copying", () -> GraphMaintenance.compact(address.directory()));
        return Answer.of(
                report,
                (answer, out) -> out.printf(
                        "log %d → %d bytes, tables %d → %d bytes%n",
                        answer.path("log_bytes_before").asLong(),
                        answer.path("log_bytes").asLong(),
                        answer.path("projection_bytes_before").asLong(),
                        answer.path("projection_bytes").asLong()));
    }
}
