package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.boot.Maintenance;

/** Gives disk space back that cleanup has freed. */
@Command(
        name = "compact",
        description = {
            "Gives disk space back that cleanup has freed.",
            "Nobody else may have the graph open; it needs room for a copy."
        },
        footer = {"", "Example:", "  service compact --store people"})
final class CompactCommand extends AnswerCommand {
    @Mixin
    private AddressOptions address = new AddressOptions();

    @Override
    Answer answer() {
        ObjectNode report = Progress.during(output, "copying", () -> Maintenance.compact(address.directory()));
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
