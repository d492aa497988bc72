package service.cli.command;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
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
            if (!Files.exists(path)) {
                return null;
            }
            String cursor = Files.readString(path).strip();
            if (cursor.isEmpty()) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        path
                                + " has no cursor in it: delete it to begin anew with --start or with `changes baseline`, or"
                                + " put back the one that was saved");
            }
            return cursor;
        } catch (IOException e) {
            throw failure("read", e);
        }
    }

    /** Throws when the cursor could not be saved, before anything is received. */
    void requireWritable() {
        Path folder = path.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new CommandFailure(
                    CommandFailure.FAILED, "cannot write " + path + ": there is no directory " + folder);
        }
        if (folder != null && !Files.isWritable(folder)) {
            throw new CommandFailure(
                    CommandFailure.FAILED, "cannot write " + path + ": no file may be made in " + folder);
        }
    }

    /** What the server says of a cursor that it does not take, with the file that has it. */
    String rejected(RuntimeException refusal) {
        return "the cursor in " + path + " is not one of this graph (" + refusal.getMessage()
                + "): delete the file to begin anew, or name the file of this graph";
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
        return new CommandFailure(CommandFailure.FAILED, "cannot " + verb + " " + path + ": " + why(cause));
    }

    private static String why(IOException cause) {
        return cause instanceof FileSystemException file ? Failures.reason(file) : String.valueOf(cause.getMessage());
    }
}
