package service.cli;

import service.cli.command.CommandLines;

/** The {@code service-server} command; {@code bin/service-server} starts it. */
public final class ServerCommand {
    private ServerCommand() {}

    /** Serves until SIGTERM and exits with a code of {@code docs/operations/deploy.md}. */
    public static void main(String[] arguments) {
        CommandLines.prepareServer();
        System.exit(CommandLines.runServer(arguments));
    }
}
