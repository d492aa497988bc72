package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.boot.Stores;
import service.cli.client.CommandFailure;

/** Checks every event of a graph, and its tables against a replay. */
@Command(
        name = "verify",
        description = "Checks every event of a graph, and its tables against a replay.",
        footer = {"", "Example:", "  service verify --store people"})
final class VerifyCommand implements Callable<Integer> {
    @Mixin
    private AddressOptions address = new AddressOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        ObjectNode report = Progress.during(output, "verifying", () -> Stores.verify(address.directory()));
        output.print(report, (answer, out) -> {
            answer.path("findings").forEach(finding -> out.println(finding.asText()));
            if (answer.path("ok").asBoolean()) {
                out.println("sound: " + answer.path("events").asLong() + " events");
            }
        });
        return report.path("ok").asBoolean() ? 0 : CommandFailure.FAILED;
    }
}
