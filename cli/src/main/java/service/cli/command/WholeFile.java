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
            try (OutputStream out = new Written(new BufferedOutputStream(open(draft), BUFFER_BYTES), path)) {
                content.writeTo(out);
            } catch (IOException | RuntimeException e) {
                Files.deleteIfExists(draft);
                throw e;
            }
            long bytes = Files.size(draft);
            Files.move(draft, path, StandardCopyOption.REPLACE_EXISTING);
            return bytes;
        } catch (FileSystemException e) {
            throw unwritten(e);
        } catch (UncheckedIOException e) {
            throw passed(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private CommandFailure unwritten(FileSystemException failure) {
        return new CommandFailure(CommandFailure.FAILED, "cannot write " + path + ": " + Failures.reason(failure));
    }

    /** A failure that has passed through the source of the content: of this file, or of the source itself. */
    private RuntimeException passed(UncheckedIOException failure) {
        return failure.getCause() instanceof FileSystemException file
                        && path.toString().equals(file.getFile())
                ? unwritten(file)
                : failure;
    }

    /** Opens a file that no other user reads or writes and the group only reads: it may hold data of a graph. */
    private static OutputStream open(Path draft) throws IOException {
        Files.deleteIfExists(draft);
        return Channels.newOutputStream(Files.newByteChannel(
                draft, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), FileMask.file()));
    }

    private long writeInPlace(Content content) {
        try (Written out = new Written(new BufferedOutputStream(Files.newOutputStream(path), BUFFER_BYTES), path)) {
            content.writeTo(out);
            out.flush();
            return out.bytes;
        } catch (FileSystemException e) {
            throw unwritten(e);
        } catch (UncheckedIOException e) {
            throw passed(e);
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "cannot write " + path + ": " + e.getMessage());
        }
    }

    /** Counts what it passes on, and names the file in a failure. */
    private static final class Written extends FilterOutputStream {
        private final Path path;
        private long bytes;

        private Written(OutputStream into, Path path) {
            super(into);
            this.path = path;
        }

        private interface Step {
            void run() throws IOException;
        }

        private void named(Step step) throws IOException {
            try {
                step.run();
            } catch (IOException e) {
                FileSystemException failure = new FileSystemException(path.toString(), null, e.getMessage());
                failure.initCause(e);
                throw failure;
            }
        }

        @Override
        public void write(int value) throws IOException {
            named(() -> out.write(value));
            bytes++;
        }

        @Override
        public void write(byte[] block, int offset, int length) throws IOException {
            named(() -> out.write(block, offset, length));
            bytes += length;
        }

        @Override
        public void flush() throws IOException {
            named(out::flush);
        }

        @Override
        public void close() throws IOException {
            named(out::close);
        }
    }
}
