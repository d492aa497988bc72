package service.projection.storage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.log.lmdb.StorageFailure;
import service.log.retain.Retention;
import service.projection.table.ProjectionEnvironment;

/**
 * Synced copies of the tables, so that a server does not replay the whole log after a power failure:
 * {@code checkpoint/<offset, 20 digits>-<SHA-256 of the file>.mdb}. The copy has applied at least the events up to that
 * offset. One copy is kept.
 *
 * <p>After a cleanup the log names one copy as its <em>base image</em>. Every replay starts from it, because the events
 * before it have lost their images. A newer copy replaces it only after the log names the newer one.
 */
final class Checkpoints {
    static final String DIRECTORY = "checkpoint";
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    private static final Pattern NAME = Pattern.compile("([0-9]{20})-([0-9a-f]{64})\\.mdb");
    private static final String DATA = "data.mdb";
    private static final int BUFFER = 1 << 20;

    private final Path directory;

    Checkpoints(Path graphDirectory) {
        this.directory = graphDirectory.resolve(DIRECTORY);
    }

    /**
     * Writes a compacted copy and removes older ones. Any thread, concurrently with readers and the writer; it holds
     * one read transaction for its whole run.
     *
     * @param offset an offset that the environment has applied
     * @param record called with the new copy once it is durable, before any other copy is removed
     * @throws StorageFailure when the copy cannot be written; its partial file is removed, because a full disk has no
     *     room for it
     */
    synchronized void write(ProjectionEnvironment environment, long offset, Consumer<Retention.Base> record) {
        Path copy = directory.resolve("copying");
        try {
            write(environment, offset, copy, record);
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO,
                    directory + ": the checkpoint cannot be written (" + e.getMessage() + ")",
                    e);
        } finally {
            forget(copy);
        }
    }

    /** Runs work that reads a checkpoint: meanwhile none is made or removed. */
    synchronized void hold(Runnable work) {
        work.run();
    }

    private static void forget(Path copy) {
        try {
            deleteTree(copy);
        } catch (IOException e) {
            LOG.warn("{}: cannot be removed", copy, e);
        }
    }

    private void write(ProjectionEnvironment environment, long offset, Path copy, Consumer<Retention.Base> record)
            throws IOException {
        Files.createDirectories(directory);
        deleteTree(copy);
        Files.createDirectory(copy);
        environment.environment().copyTo(copy);
        Path data = copy.resolve(DATA);
        TrustFile.sync(data);
        Retention.Base base = new Retention.Base(offset, digest(data));
        Files.move(data, file(base), StandardCopyOption.ATOMIC_MOVE);
        TrustFile.sync(directory);
        record.accept(base);
        keepOnly(base);
    }

    /** The file of a base image. */
    Path file(Retention.Base base) {
        return directory.resolve("%020d-%s.mdb".formatted(base.offset(), base.digest()));
    }

    /** Removes every checkpoint except one. */
    synchronized void keepOnly(Retention.Base base) {
        try {
            for (Path other : newestFirst()) {
                if (!other.equals(file(base))) {
                    Files.delete(other);
                }
            }
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO,
                    directory + ": old checkpoints cannot be removed (" + e.getMessage() + ")",
                    e);
        }
    }

    /**
     * Opens the bytes of a base image; the caller closes them. They stay readable when the file is removed meanwhile.
     *
     * @throws java.nio.file.NoSuchFileException when a newer base image has replaced it
     */
    InputStream open(Retention.Base base) throws IOException {
        return Files.newInputStream(file(base));
    }

    /**
     * Replaces the environment with the newest undamaged checkpoint; false when there is none.
     *
     * @param least the offset that the checkpoint must have applied at least
     */
    boolean restore(Path environmentDirectory, long least) {
        try {
            for (Path checkpoint : newestFirst()) {
                Matcher name = NAME.matcher(checkpoint.getFileName().toString());
                if (!name.matches() || !name.group(2).equals(digest(checkpoint))) {
                    LOG.warn("{}: its bytes do not have the digest in its name; skipped", checkpoint);
                    continue;
                }
                if (Long.parseLong(name.group(1)) < least) {
                    continue;
                }
                Files.createDirectories(environmentDirectory);
                // The copy is moved into place, so readers in other processes see the whole file or none.
                Path copy = environmentDirectory.resolve("restoring");
                Files.copy(checkpoint, copy, StandardCopyOption.REPLACE_EXISTING);
                Files.move(copy, environmentDirectory.resolve(DATA), StandardCopyOption.ATOMIC_MOVE);
                return true;
            }
            return false;
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, directory + ": the checkpoint cannot be read (" + e.getMessage() + ")", e);
        }
    }

    /** The offset of the newest checkpoint, −1 when there is none. */
    long newestOffset() {
        try {
            List<Path> checkpoints = newestFirst();
            return checkpoints.isEmpty()
                    ? -1
                    : Long.parseLong(
                            checkpoints.getFirst().getFileName().toString().substring(0, 20));
        } catch (IOException e) {
            return -1;
        }
    }

    /** When the newest checkpoint was written, in milliseconds since the epoch; −1 when there is none. */
    long newestMillis() {
        try {
            List<Path> checkpoints = newestFirst();
            return checkpoints.isEmpty()
                    ? -1
                    : Files.getLastModifiedTime(checkpoints.getFirst()).toMillis();
        } catch (IOException e) {
            return -1;
        }
    }

    void deleteAll() {
        try {
            deleteTree(directory);
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, directory + ": cannot be removed (" + e.getMessage() + ")", e);
        }
    }

    private List<Path> newestFirst() throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(
                            file -> NAME.matcher(file.getFileName().toString()).matches())
                    .sorted(Comparator.reverseOrder())
                    .toList();
        }
    }

    private static String digest(Path file) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (InputStream bytes = Files.newInputStream(file)) {
                byte[] buffer = new byte[BUFFER];
                for (int read = bytes.read(buffer); read >= 0; read = bytes.read(buffer)) {
                    digest.update(buffer, 0, read);
                }
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    static void deleteTree(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> walk = Files.walk(root)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.delete(path);
        }
    }
}
