package service.cli.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;

/**
 * For commands that destroy: where others work too (a server, object storage) they ask first. A directory of this
 * machine is its owner's, who is not asked.
 */
final class ConfirmOption {
    @Option(
            names = "--yes",
            description = "Do not ask; only what others share, such as a server, is asked about at all.")
    private boolean yes;

    /**
     * Goes on when nobody needs to be asked, or the person agrees.
     *
     * @param deed such as {@code delete branch x}
     * @throws CommandFailure when the person does not agree, or cannot be asked
     */
    void require(AddressOptions address, OutputOptions output, String deed) {
        if (yes || !address.isShared()) {
            return;
        }
        if (!TerminalCheck.isTerminal(TerminalCheck.STANDARD_INPUT)) {
            throw CommandFailure.usage("to " + deed + " asks first; pass --yes where nobody can answer");
        }
        output.err().print("Really " + deed + "? [y/N] ");
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
