package service.log.segment;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The blobs that cleanup has taken from a copy and whose objects may still be in the bucket: the file
 * {@code reclaimed.blobs} in the directory of the copy, 32 bytes each. One thread.
 */
final class ReclaimedBlobs {
    static final int DIGEST_BYTES = 32;

    private final Path file;

    ReclaimedBlobs(Path directory) {
        this.file = directory.resolve("reclaimed.blobs");
    }

    Path file() {
        return file;
    }

    boolean isEmpty() {
        return count() == 0;
    }

    long count() {
        try {
            return Files.exists(file) ? Files.size(file) / DIGEST_BYTES : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds blobs before they are deleted from the copy. */
    void add(List<byte[]> digests) {
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (byte[] digest : digests) {
                out.write(digest);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Some of the blobs. */
    List<byte[]> read(long from, int max) {
        List<byte[]> digests = new ArrayList<>();
        try (var in = Files.newInputStream(file)) {
            in.skipNBytes(from * DIGEST_BYTES);
            for (byte[] digest = in.readNBytes(DIGEST_BYTES);
                    digest.length == DIGEST_BYTES && digests.size() < max;
                    digest = in.readNBytes(DIGEST_BYTES)) {
                digests.add(digest);
            }
            return digests;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void clear() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
