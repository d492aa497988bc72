package service.cli.table;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import service.log.lmdb.FileMask;

/**
 * Writes a new file, which is open only while bytes get into it: an export has an unfinished file for each type, and a
 * process cannot have so many open. Bytes are held until {@value #HELD_BYTES_MAX} are together. One thread.
 */
final class DraftStream extends OutputStream {
    private static final int HELD_BYTES_MAX = 1 << 18;

    private final Path file;
    private ByteArrayOutputStream held = new ByteArrayOutputStream(0);

    DraftStream(Path file) throws IOException {
        this.file = file;
        Files.newByteChannel(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), FileMask.file())
                .close();
    }

    /** The bytes that are not in the file yet. */
    int held() {
        return held.size();
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        held.write(from, offset, length);
        if (held.size() >= HELD_BYTES_MAX) {
            flush();
        }
    }

    @Override
    public void flush() throws IOException {
        if (held.size() > 0) {
            try (OutputStream into = Channels.newOutputStream(Files.newByteChannel(file, StandardOpenOption.APPEND))) {
                held.writeTo(into);
            }
            held = new ByteArrayOutputStream(0);
        }
    }

    @Override
    public void close() throws IOException {
        flush();
    }
}
