package service.cli.command;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.log.files.DurableFiles;

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
        try {
            DurableFiles.replace(path, cursor + "\n");
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
