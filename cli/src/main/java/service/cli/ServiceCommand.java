package service.cli;

import service.cli.command.CommandLines;

/** The {@code service} command; {@code bin/service} starts it. */
public final class ServiceCommand {
    private ServiceCommand() {}

    /** Runs one command and exits with its code. */
    public static void main(String[] arguments) {
        System.exit(CommandLines.service().execute(arguments));
    }
}
