package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import picocli.CommandLine.Command;

/** Prints the version of this build, as its jar's manifest states it. */
@Command(
        name = "version",
        description = "Prints the version.",
        footer = {"", "Example:", "  service version --json"})
final class VersionCommand extends AnswerCommand {
    @Override
    Answer answer() {
        return Answer.line(JsonNodeFactory.instance.objectNode().put("version", Version.TEXT), Version.TEXT);
    }
}
