package service.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether a standard stream is a terminal. {@code System.console()} does not tell any more: since
 * JDK 22 it is there without one. Where the system does not say (it does on Linux), the answer is
 * no, and commands behave as in a script.
 */
final class TerminalCheck {
    static final int STANDARD_INPUT = 0;
    static final int STANDARD_OUTPUT = 1;
    static final int STANDARD_ERROR = 2;

    private TerminalCheck() {}

    static boolean isTerminal(int descriptor) {
        try {
            String device =
                    Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
