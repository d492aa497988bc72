package service.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code service} command; {@code bin/service} starts it. */
@Command(
        name = "service",
        description = "Works with graphs and the servers that hold them.",
        subcommands = {VersionCommand.class, CommandLine.HelpCommand.class})
public final class ServiceCommand {
    private ServiceCommand() {}

    /** Runs one command and exits with its code. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new ServiceCommand()).execute(arguments));
    }
}
