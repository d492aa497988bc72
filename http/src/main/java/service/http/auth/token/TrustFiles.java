package service.http.auth.token;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Reads trust files of bounded size. */
final class TrustFiles {
    private TrustFiles() {}

    /**
     * Reads a file that has at most so many bytes.
     *
     * @throws TrustFileException when it is longer or cannot be read
     */
    static byte[] read(String path, int bytesMax) {
        try (InputStream in = Files.newInputStream(Path.of(path))) {
            byte[] bytes = in.readNBytes(bytesMax + 1);
            if (bytes.length > bytesMax) {
                throw new TrustFileException("it has more than " + bytesMax + " bytes");
            }
            return bytes;
        } catch (IOException | InvalidPathException e) {
            throw new TrustFileException("it cannot be read");
        }
    }
}
