package service.log.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes files that a failure of the machine leaves whole. Any thread. */
public final class DurableFiles {
    private DurableFiles() {}

    /** Makes the content of a file, or the names in a directory, durable. */
    public static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Writes a file, which is made or emptied first, and makes its content durable. */
    public static void write(Path file, byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
            channel.force(true);
        }
    }

    /**
     * Moves a file or directory, whose content is durable already, to another name in its file system, and makes that
     * name durable. A file with this name is replaced at once: nobody sees a part of either.
     */
    public static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        syncName(to);
    }

    private static void syncName(Path path) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (parent != null) {
            sync(parent);
        }
    }

    /** Replaces a file, or makes it: after a failure it has the old content or the new one. One thread a file. */
    public static void replace(Path file, String content) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        write(fresh, content.getBytes(StandardCharsets.UTF_8));
        move(fresh, file);
    }
}
