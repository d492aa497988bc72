package service.cli.command;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import service.cli.boot.ServiceConfig;

/**
 * Checks whether a standard stream is a terminal. {@code System.console()} cannot be used: since JDK 22 it is not null
 * without a terminal either. On systems other than Linux the answer is no, and commands behave as in a script.
 */
final class TerminalCheck {
    static final int STANDARD_INPUT = 0;
    static final int STANDARD_OUTPUT = 1;
    static final int STANDARD_ERROR = 2;

    private static final int COLUMNS_USUAL = 80;
    private static final long ANSWER_SECONDS = 1;

    private TerminalCheck() {}

    /** The width of the terminal in columns: {@code COLUMNS}, else the answer of {@code stty}, else 80. */
    static int columns() {
        String width = ServiceConfig.environment().get("COLUMNS");
        if (width == null || !width.matches("[1-9][0-9]{0,4}")) {
            width = stty();
        }
        return width.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(width) : COLUMNS_USUAL;
    }

    private static String stty() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String answer = new String(stty.getInputStream().readAllBytes(), US_ASCII).strip();
            stty.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS);
            return answer.substring(answer.indexOf(' ') + 1);
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    static boolean isTerminal(int descriptor) {
        try {
            String device = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
