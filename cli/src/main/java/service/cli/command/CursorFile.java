package service.cli.command;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;

/** A file that holds a consumer's cursor. Replaced atomically: written under another name, then renamed. */
record CursorFile(Path path) {
    /** The cursor, or null when there is no file yet. */
    @Nullable
    String read() {
        try {
            return Files.exists(path) ? Files.readString(path).strip() : null;
        } catch (IOException e) {
            throw failure("read", e);
        }
    }

    void write(String cursor) {
        Path draft = path.resolveSibling(path.getFileName() + ".new");
        try {
            try (FileChannel file = FileChannel.open(
                    draft, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
                var bytes = StandardCharsets.US_ASCII.encode(cursor + "\n");
                while (bytes.hasRemaining()) {
                    file.write(bytes);
                }
                file.force(true);
            }
            Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw failure("write", e);
        }
    }

    private CommandFailure failure(String verb, IOException cause) {
        return new CommandFailure(CommandFailure.FAILED, "cannot " + verb + " " + path + ": " + cause.getMessage());
    }
}
