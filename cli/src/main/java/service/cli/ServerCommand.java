package service.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code service-server} command; {@code bin/service-server} starts it. */
@Command(
        name = "service-server",
        description = "Serves graphs.",
        subcommands = {VersionCommand.class, CommandLine.HelpCommand.class})
public final class ServerCommand {
    private ServerCommand() {}

    /** Runs one command and exits with its code. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new ServerCommand()).execute(arguments));
    }
}
