package service.cli.command;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import service.cli.boot.ServiceConfig;
import service.cli.render.Screen;
import service.cli.render.VisibleWriter;

/**
 * Shows a long text on a terminal, a screen at a time, through the program of {@code PAGER} or {@code less}. Where
 * standard output is no terminal, or there is no such program, the text goes to standard output.
 */
final class Pager implements AutoCloseable {
    private final @Nullable Process process;
    private final PrintWriter out;

    private Pager(@Nullable Process process, PrintWriter out) {
        this.process = process;
        this.out = out;
    }

    static Pager open(OutputOptions output) {
        Screen screen = output.screen();
        String program = ServiceConfig.environment().getOrDefault("PAGER", "less");
        if (screen.width() == 0 || program.isBlank() || program.equals("cat")) {
            return new Pager(null, output.out());
        }
        // Without the test for the program its shell would print an error and the text would be lost.
        ProcessBuilder builder = new ProcessBuilder(
                        "/bin/sh", "-c", "command -v ${0%% *} >/dev/null || exec cat; eval \"$0\"", program)
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        // Leaves at the end of a text of one screen, shows colours, and keeps the text on the screen, as git does.
        builder.environment().putIfAbsent("LESS", "FRX");
        try {
            Process process = builder.start();
            // An interrupted command must not leave the program running, which reads from the terminal.
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
            return new Pager(
                    process,
                    new VisibleWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8), true));
        } catch (IOException e) {
            return new Pager(null, output.out());
        }
    }

    PrintWriter out() {
        return out;
    }

    /** Whether the reader has left. */
    boolean isUnread() {
        return out.checkError();
    }

    /** Waits until the reader has left the program. */
    @Override
    public void close() {
        out.flush();
        if (process == null) {
            return;
        }
        out.close();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
        }
    }
}
