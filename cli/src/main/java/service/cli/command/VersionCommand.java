package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints the version of this build, as its jar's manifest states it. */
@Command(
        name = "version",
        description = "Prints the version.",
        footer = {"", "Example:", "  service version --json"})
final class VersionCommand implements Callable<Integer> {
    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        output.print(
                JsonNodeFactory.instance.objectNode().put("version", Version.TEXT),
                (answer, out) -> out.println(answer.path("version").asText()));
        return 0;
    }
}
