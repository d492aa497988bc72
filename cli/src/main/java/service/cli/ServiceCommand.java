package service.cli;

import service.cli.command.CommandLines;
import service.cli.command.Version;

/** The {@code service} command; {@code bin/service} starts it. */
public final class ServiceCommand {
    private ServiceCommand() {}

    /**
     * Runs one command and exits with its code. The version is told without making the tree of
     * commands, which takes longer than the rest of such a start.
     */
    public static void main(String[] arguments) {
        if (arguments.length == 1
                && (arguments[0].equals("version") || arguments[0].equals("--version"))) {
            System.out.println(Version.TEXT);
            return;
        }
        System.exit(CommandLines.service().execute(arguments));
    }
}
