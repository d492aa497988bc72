package service.cli.command;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import service.cli.render.VisibleWriter;

/**
 * Standard output; unlike {@code System.out} it throws its errors, under the name of standard output. It also keeps the
 * first one, because a {@link PrintWriter} in front of it drops the reason.
 */
public final class StandardOutput extends FilterOutputStream {
    private static final int BUFFER_BYTES = 1 << 16;

    /** What the system says when the reader of a pipe has left. */
    static final String BROKEN_PIPE = "Broken pipe";

    private @Nullable IOException failure;

    StandardOutput() {
        super(new FileOutputStream(FileDescriptor.out));
    }

    /** Returns a new buffered stream. The caller flushes it and does not close it. */
    static OutputStream stream() {
        return new BufferedOutputStream(new StandardOutput(), BUFFER_BYTES);
    }

    /** Prints one line and returns the exit code of a command that has nothing else to do. */
    public static int print(String line) {
        StandardOutput output = new StandardOutput();
        PrintWriter out = output.writer();
        out.println(line);
        return output.exitCode(0, errors(), false);
    }

    /** A writer of text in the encoding of the terminal; it flushes at the end of each line. */
    PrintWriter writer() {
        return new VisibleWriter(
                new OutputStreamWriter(this, System.out.charset()),
                TerminalCheck.isTerminal(TerminalCheck.STANDARD_OUTPUT));
    }

    /** A writer of text to standard error, as {@link #writer}. */
    static PrintWriter errors() {
        return new VisibleWriter(
                new OutputStreamWriter(System.err, System.err.charset()),
                TerminalCheck.isTerminal(TerminalCheck.STANDARD_ERROR));
    }

    /** The exit code of a command, of which the answer was written here: 1 when it could not be written whole. */
    int exitCode(int code, PrintWriter err, boolean json) {
        if (failure == null) {
            return code;
        }
        return Failures.print(Failures.describe(failure), err, json);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            IOException named = BROKEN_PIPE.equals(e.getMessage())
                    ? e
                    : new IOException("cannot write to standard output: " + e.getMessage(), e);
            if (failure == null) {
                failure = named;
            }
            throw named;
        }
    }
}
