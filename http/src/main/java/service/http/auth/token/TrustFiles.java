package service.http.auth.token;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Reads files that say who is trusted: trust files, and files of tokens. Any thread. */
public final class TrustFiles {
    private TrustFiles() {}

    /**
     * Reads a file that has at most so many bytes. A symbolic link to a regular file is followed. Anything else is
     * refused before it is opened: a pipe or a device would hold the thread, or never end.
     *
     * @throws TrustFileException when it is no regular file, is longer, or cannot be read
     */
    public static byte[] read(String path, int bytesMax) {
        try {
            Path file = Path.of(path);
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                throw new TrustFileException("it is no regular file");
            }
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(bytesMax + 1);
                if (bytes.length > bytesMax) {
                    throw new TrustFileException("it has more than " + bytesMax + " bytes");
                }
                return bytes;
            }
        } catch (IOException | InvalidPathException e) {
            throw new TrustFileException("it cannot be read");
        }
    }
}
