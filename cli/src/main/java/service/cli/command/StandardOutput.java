package service.cli.command;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;

/** Standard output as bytes, with the errors that {@code System.out} keeps to itself. */
final class StandardOutput {
    private static final int BUFFER_BYTES = 1 << 16;

    private StandardOutput() {}

    /** A stream of its own; flush it, and leave it open. */
    static OutputStream stream() {
        return new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_BYTES);
    }
}
