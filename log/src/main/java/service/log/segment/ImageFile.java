package service.log.segment;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;
import service.core.value.Sha256;
import service.log.files.FileTrees;
import service.log.format.EventLog;
import service.log.group.LogTail;
import service.log.retain.Retention;

/**
 * The bytes of an image in a file of this machine, drawn in {@link ImageHeader}. LMDB copies the environment of the log
 * into a file first, so that no read of it is open while the image is compressed and sent. One thread.
 */
final class ImageFile implements ObjectStore.Content, AutoCloseable {
    private static final int LEVEL = 3;
    private static final String DATA = "data.mdb";

    /** The file of the tables and what it has. */
    record Tables(Path file, Retention.Base name) {}

    private final Path file;
    private final long length;
    private final ImageKey key;
    private final Retention retention;

    private ImageFile(Path file, ImageKey key, Retention retention) throws IOException {
        this.file = file;
        this.key = key;
        this.retention = retention;
        this.length = Files.size(file);
    }

    /**
     * Makes an image of a log and a copy of its tables.
     *
     * @param base the base image that the log came from; null without one
     */
    static ImageFile make(EventLog log, Tables tables, @Nullable ImageKey base, long madeMicros) {
        Path scratch = log.directory().resolve("image");
        Path file = log.directory().resolve("image.put");
        try {
            FileTrees.delete(scratch);
            Path copy = Files.createDirectories(scratch.resolve(EventLog.DIRECTORY));
            log.environment().copyTo(copy);
            LogTail tail;
            Retention retention;
            try (EventLog copied = EventLog.openReadOnly(scratch)) {
                tail = copied.tail();
                retention = copied.retention();
            }
            ImageHeader header = new ImageHeader(
                    log.graph(),
                    tail.offset(),
                    tail.hash(),
                    base,
                    madeMicros,
                    tables.name(),
                    Files.size(copy.resolve(DATA)),
                    Files.size(tables.file()));
            String digest = write(header, copy.resolve(DATA), tables.file(), file);
            return new ImageFile(file, new ImageKey(header.offset(), digest), retention);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            FileTrees.deleteOrWarn(scratch);
        }
    }

    private static String write(ImageHeader header, Path log, Path tables, Path into) throws IOException {
        MessageDigest digest = Sha256.begin();
        try (OutputStream spool = new BufferedOutputStream(Files.newOutputStream(into));
                OutputStream out = new ZstdOutputStreamNoFinalizer(new DigestOutputStream(spool, digest), LEVEL)) {
            out.write(header.encode());
            Files.copy(log, out);
            Files.copy(tables, out);
            // No blobs follow; see docs/formats/image.md.
            out.write(new byte[Long.BYTES]);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    ImageKey key() {
        return key;
    }

    /** What cleanup had reclaimed of the log. */
    Retention retention() {
        return retention;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public InputStream open() throws IOException {
        return Files.newInputStream(file);
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
