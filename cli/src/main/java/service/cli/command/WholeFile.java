package service.cli.command;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import service.cli.client.CommandFailure;

/** A file that appears whole or not at all: written under another name, then renamed. */
record WholeFile(Path path) {
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
        Path draft = path.resolveSibling(path.getFileName() + ".new");
        try {
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(draft), BUFFER_BYTES)) {
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
}
