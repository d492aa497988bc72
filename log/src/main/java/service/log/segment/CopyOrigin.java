package service.log.segment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import service.log.files.DurableFiles;
import service.log.retain.Retention;

/**
 * The base image that a copy came from, or that was made of it: the file {@code image.base} in its directory, with the
 * name of the image, the microseconds since 1970 at which it was made, and what cleanup had reclaimed, as hex of
 * {@link Retention#encode}. No file while the bucket has the whole history in segments. Any thread.
 */
final class CopyOrigin {
    /** A base image, when it was made, and what cleanup had reclaimed. */
    record Base(ImageKey key, long madeMicros, Retention retention) {}

    private final Path file;

    CopyOrigin(Path directory) {
        this.file = directory.resolve("image.base");
    }

    /** The base image of the copy; null without one. */
    @Nullable
    Base read() {
        try {
            String[] words = Files.readString(file).strip().split(" ", 3);
            ImageKey key = ImageKey.parse(words[0]);
            return key == null || words.length < 3
                    ? null
                    : new Base(
                            key,
                            Long.parseLong(words[1]),
                            Retention.decode(HexFormat.of().parseHex(words[2])));
        } catch (NoSuchFileException none) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The name of the base image of the copy; null without one. */
    @Nullable
    ImageKey key() {
        Base base = read();
        return base == null ? null : base.key();
    }

    void write(Base base) {
        try {
            DurableFiles.replace(
                    file,
                    "%s %d %s%n"
                            .formatted(
                                    base.key().name(),
                                    base.madeMicros(),
                                    HexFormat.of().formatHex(base.retention().encode())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
