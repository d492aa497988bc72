package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.boot.Stores;

/** Checks every event of a graph, and its tables against a replay. */
@Command(
        name = "verify",
        description = "Checks every event of a graph, and its tables against a replay.",
        footer = {"", "Example:", "  service verify --store people"})
final class VerifyCommand extends AnswerCommand {
    @Mixin
    FormatOption format = new FormatOption();

    @Mixin
    private DirectoryOptions address = new DirectoryOptions();

    @Override
    Answer answer() {
        ObjectNode report = Progress.during(output, "verifying", () -> Stores.verify(address.directory()));
        return Answer.of(report, (answer, out) -> {
            answer.path("findings").forEach(finding -> out.println(finding.asText()));
            if (answer.path("ok").asBoolean()) {
                out.println("sound: " + answer.path("events").asLong() + " events");
            }
        });
    }
}
