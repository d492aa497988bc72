package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.GraphMaintenance;

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

    @Option(
            names = "--scratch",
            paramLabel = "DIR",
            description = {
                "Where to make the tables that are compared, which take as much space as those of the graph.",
                "Default: beside the graph, or the folder for temporary files where nothing may be written there."
            })
    private @Nullable Path scratch;

    @Override
    Answer answer() {
        ObjectNode report =
                Progress.during(output, "verifying", () -> GraphMaintenance.verify(address.directory(), scratch));
        return Answer.of(report, (answer, out) -> {
            answer.path("findings").forEach(finding -> out.println(finding.asText()));
            if (answer.path("ok").asBoolean()) {
                out.println("sound: " + answer.path("events").asLong() + " events");
            }
        });
    }
}
