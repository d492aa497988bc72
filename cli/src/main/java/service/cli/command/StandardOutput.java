package service.cli.command;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;

/** Standard output as a stream of bytes; unlike {@code System.out} it throws its errors. */
final class StandardOutput {
    private static final int BUFFER_BYTES = 1 << 16;

    private StandardOutput() {}

    /** Returns a new buffered stream. The caller flushes it and does not close it. */
    static OutputStream stream() {
        return new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_BYTES);
    }
}
