package service.cli.command;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import service.cli.client.CommandFailure;
import service.log.lmdb.FileMask;

/**
 * A file that appears whole or not at all: written under another name, then renamed. A device or a pipe, such as
 * {@code /dev/null}, is written in place.
 *
 * @param force whether a file of that name may be replaced
 */
record WholeFile(Path path, boolean force) {
    private static final int BUFFER_BYTES = 1 << 16;

    /** Writes the content. */
    interface Content {
        void writeTo(OutputStream into) throws IOException;
    }

    /** Writes the file and returns its size in bytes. */
    long write(Content content) {
        if (Files.isDirectory(path)) {
            throw new CommandFailure(CommandFailure.FAILED, path + " is a directory; name a file");
        }
        boolean exists = Files.exists(path);
        if (exists && !Files.isRegularFile(path)) {
            return writeInPlace(content);
        }
        if (exists && !force) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    path + " exists already; name another file, or give --force to replace this one");
        }
        Path draft = path.resolveSibling(path.getFileName() + ".new");
        try {
            try (OutputStream out = new BufferedOutputStream(open(draft), BUFFER_BYTES)) {
                content.writeTo(out);
            } catch (IOException | RuntimeException e) {
                Files.deleteIfExists(draft);
                throw e;
            }
            long bytes = Files.size(draft);
            Files.move(draft, path, StandardCopyOption.REPLACE_EXISTING);
            return bytes;
        } catch (FileSystemException e) {
            throw new CommandFailure(CommandFailure.FAILED, "cannot write " + path + ": " + Failures.reason(e));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a file that no other user reads or writes and the group only reads: it may hold data of a graph. */
    private static OutputStream open(Path draft) throws IOException {
        Files.deleteIfExists(draft);
        return Channels.newOutputStream(Files.newByteChannel(
                draft, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), FileMask.file()));
    }

    private long writeInPlace(Content content) {
        try (Counted out = new Counted(new BufferedOutputStream(Files.newOutputStream(path), BUFFER_BYTES))) {
            content.writeTo(out);
            out.flush();
            return out.bytes;
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "cannot write " + path + ": " + e.getMessage());
        }
    }

    /** Counts what it passes on. */
    private static final class Counted extends FilterOutputStream {
        private long bytes;

        private Counted(OutputStream into) {
            super(into);
        }

        @Override
        public void write(int value) throws IOException {
            out.write(value);
            bytes++;
        }

        @Override
        public void write(byte[] block, int offset, int length) throws IOException {
            out.write(block, offset, length);
            bytes += length;
        }
    }
}
