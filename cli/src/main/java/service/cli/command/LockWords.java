package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Model.CommandSpec;
import service.cli.client.CommandFailure;

/** What to do about a graph that another process writes, in the words of the command that was refused. */
final class LockWords {
    private static final String ADVICE = ": stop it or send the write to it";

    private LockWords() {}

    /** The failure with the advice that fits the command: one that works on files only cannot be sent to a server. */
    static CommandFailure of(CommandFailure failure, CommandSpec command) {
        int at = failure.getMessage().indexOf(ADVICE);
        if (at < 0) {
            return failure;
        }
        String advice = command.findOption("--server") == null
                ? "; stop it first: `%s` works on the files, not through a server".formatted(command.qualifiedName())
                : "; stop it, or if it is a server give --server URL --graph ID, so that it writes";
        String message =
                failure.getMessage().substring(0, at).replaceFirst("(since [^ ]*:\\d\\d)\\.\\d+Z", "$1Z") + advice;
        ObjectNode body = failure.body();
        return new CommandFailure(
                failure.exitCode(),
                message,
                body == null ? null : body.deepCopy().put("error", message));
    }
}
