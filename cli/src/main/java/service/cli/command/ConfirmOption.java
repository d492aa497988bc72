package service.cli.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;

/**
 * Asks for a confirmation before a command deletes data that is shared with other users: on a server or in object
 * storage. Does not ask for directories of this machine.
 */
final class ConfirmOption {
    @Option(
            names = "--yes",
            description = "Do not ask; only changes to shared data, such as a server's, are asked about.")
    private boolean yes;

    /**
     * Returns when no confirmation is needed or the user confirms.
     *
     * @param deed such as {@code delete branch `x`}
     * @throws CommandFailure when the user does not confirm, or standard input is not a terminal
     */
    void require(DirectoryOptions address, OutputOptions output, String deed) {
        if (yes || !address.isShared()) {
            return;
        }
        if (!TerminalCheck.isTerminal(TerminalCheck.STANDARD_INPUT)) {
            throw CommandFailure.usage(
                    "this would " + deed + ", and there is no terminal to ask on; add --yes if that is wanted");
        }
        output.err().print("This will " + deed + ". Other users may work on this graph. Go on? [y/N] ");
        output.err().flush();
        String answer;
        try {
            answer = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (answer == null || !answer.strip().matches("(?i)y(es)?")) {
            throw new CommandFailure(CommandFailure.FAILED, "nothing was done");
        }
    }
}
