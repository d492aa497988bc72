package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import service.cli.boot.Credentials;
import service.cli.boot.ServiceConfig;

/** Deletes a token. */
@Command(
        name = "logout",
        description = "Deletes the stored token of a server.",
        footer = {"", "Example:", "  service logout work"})
final class LogoutCommand extends AnswerCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The server's name.")
    private String name = "";

    @Override
    Answer answer() {
        boolean removed = Credentials.of(ServiceConfig.environment()).remove(name);
        return Answer.line(
                JsonNodeFactory.instance.objectNode().put("server", name).put("removed", removed),
                removed ? "logged out of " + name : "there was no token for " + name);
    }
}
