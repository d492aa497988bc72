package service.cli;

import service.cli.client.CommandFailure;
import service.cli.command.CommandLines;
import service.cli.command.StandardOutput;
import service.cli.command.Version;

/** The {@code service} command; {@code bin/service} starts it. */
public final class ServiceCommand {
    private ServiceCommand() {}

    /**
     * Runs one command and exits with its code. The version is printed without making the tree of commands, which would
     * take most of the time, and without a call of {@link System#exit}, which searches every jar for a logger.
     */
    public static void main(String[] arguments) {
        boolean isVersion =
                arguments.length == 1 && (arguments[0].equals("version") || arguments[0].equals("--version"));
        int code = isVersion ? StandardOutput.print(Version.TEXT) : run(arguments);
        if (!isVersion || code != 0) {
            System.exit(code);
        }
    }

    /** Also prints errors that no handler of commands sees as one line instead of a stack trace. */
    private static int run(String[] arguments) {
        try {
            return CommandLines.run(arguments);
        } catch (OutOfMemoryError e) {
            System.err.println("error: the command ran out of memory; ask for less at once, or give it more"
                    + " with JAVA_TOOL_OPTIONS=-Xmx2g");
            return CommandFailure.FAILED;
        } catch (StackOverflowError e) {
            System.err.println("error: the input is nested too deeply");
            return CommandFailure.FAILED;
        }
    }
}
