package service.projection.storage;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.value.Sha256;
import service.log.backup.ByteCount;
import service.log.files.DurableFiles;
import service.log.files.FileTrees;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.StorageFailure;
import service.log.retain.BaseFile;
import service.log.retain.Retention;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;

/**
 * Synced and compressed copies of the tables ({@link PackedTables}), so that a server does not replay the whole log
 * after a power failure: {@code checkpoint/<offset, 20 digits>-<SHA-256 of the file>.zst}. The copy has applied at
 * least the events up to that offset. One copy is kept. Copies of earlier versions end in {@code .mdb} and are whole
 * data files.
 *
 * <p>After a cleanup the log names one copy as its <em>base image</em>. Every replay starts from it, because the events
 * before it have lost their images. A newer copy replaces it only after the log names the newer one.
 */
final class Checkpoints {
    static final String DIRECTORY = "checkpoint";
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    private static final Pattern NAME = Pattern.compile("([0-9]{20})-([0-9a-f]{64})\\.(mdb|zst)");
    private static final String DATA = "data.mdb";
    private static final int BUFFER = 1 << 20;

    private final Path directory;

    Checkpoints(Path graphDirectory) {
        this.directory = graphDirectory.resolve(DIRECTORY);
    }

    /**
     * Writes a copy of what readable states need, and removes older ones. Any thread, concurrently with readers and the
     * writer; it holds one read transaction for its whole run.
     *
     * @param offset an offset that the environment has applied
     * @param record called with the new copy once it is durable, before any other copy is removed
     * @throws StorageFailure when the copy cannot be written; its partial file is removed, because a full disk has no
     *     room for it
     */
    synchronized void write(
            ProjectionEnvironment environment, Retention retention, long offset, Consumer<Retention.Base> record) {
        Path copy = directory.resolve("copying");
        try {
            write(environment, retention, offset, copy, record);
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO,
                    directory + ": the checkpoint cannot be written (" + e.getMessage() + ")",
                    e);
        } finally {
            FileTrees.deleteOrWarn(copy);
        }
    }

    /** Runs work that reads a checkpoint: meanwhile none is made or removed. */
    synchronized void hold(Runnable work) {
        work.run();
    }

    private void write(
            ProjectionEnvironment environment,
            Retention retention,
            long offset,
            Path copy,
            Consumer<Retention.Base> record)
            throws IOException {
        Files.createDirectories(directory);
        FileTrees.delete(copy);
        Files.createDirectory(copy);
        Path packed = copy.resolve("tables" + BaseFile.PACKED);
        MessageDigest sha256 = Sha256.begin();
        try (OutputStream out = Files.newOutputStream(packed)) {
            pack(environment, retention, new DigestOutputStream(out, sha256));
        }
        DurableFiles.sync(packed);
        Retention.Base base = new Retention.Base(offset, HexFormat.of().formatHex(sha256.digest()));
        DurableFiles.move(packed, directory.resolve(BaseFile.name(base, BaseFile.PACKED)));
        record.accept(base);
        keepOnly(base);
    }

    private static void pack(ProjectionEnvironment environment, Retention retention, OutputStream into)
            throws IOException {
        long bytes = environment.environment().usedBytes();
        try (ReadTransaction read = environment.environment().read()) {
            TableAccess access = environment.access(read);
            try {
                PackedTables.write(access, retention, bytes, into);
            } finally {
                access.end();
            }
        }
    }

    /** The bytes that a copy would have of what states need that stay readable. Costs as much as to make it. */
    static long packedBytes(ProjectionEnvironment environment, Retention retention) {
        ByteCount counted = new ByteCount();
        try {
            pack(environment, retention, counted);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return counted.bytes();
    }

    /** The file of a base image. */
    Path file(Retention.Base base) {
        return BaseFile.in(directory, base);
    }

    /** The file of a base image whose first bytes are these, and which need not exist yet. */
    Path file(Retention.Base base, byte[] first) {
        return directory.resolve(BaseFile.name(base, BaseFile.ending(first)));
    }

    /** The bytes of the file of a base image; 0 when it is missing. */
    long bytes(Retention.Base base) {
        try {
            return Files.size(file(base));
        } catch (IOException e) {
            return 0;
        }
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
     * @param options of the environment
     * @param least the offset that the checkpoint must have applied at least
     */
    boolean restore(Path environmentDirectory, LmdbOptions options, long least) {
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
                FileTrees.delete(copy);
                if (name.group(3).equals("zst")) {
                    try (InputStream packed = Files.newInputStream(checkpoint)) {
                        PackedTables.unpack(packed, copy, options);
                    }
                } else {
                    unpackWhole(checkpoint, copy, options);
                }
                Files.move(copy.resolve(DATA), environmentDirectory.resolve(DATA), StandardCopyOption.ATOMIC_MOVE);
                FileTrees.delete(copy);
                return true;
            }
            return false;
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, directory + ": the checkpoint cannot be read (" + e.getMessage() + ")", e);
        }
    }

    /** Makes an environment of the entries of a whole data file, which has an earlier layout. */
    private static void unpackWhole(Path checkpoint, Path into, LmdbOptions options) throws IOException {
        Path whole = Files.createDirectories(into.resolve("whole"));
        Files.copy(checkpoint, whole.resolve(DATA));
        Path packed = into.resolve("tables" + BaseFile.PACKED);
        try (ProjectionEnvironment earlier = ProjectionEnvironment.open(whole, options, CommitHook.NONE);
                OutputStream out = Files.newOutputStream(packed)) {
            pack(earlier, Retention.NONE, out);
        }
        try (InputStream in = Files.newInputStream(packed)) {
            PackedTables.unpack(in, into, options);
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

    /** Removes every checkpoint except the base image, if there is one. */
    void keepBase(Retention.@Nullable Base base) {
        if (base == null) {
            deleteAll();
        } else {
            keepOnly(base);
        }
    }

    private void deleteAll() {
        try {
            FileTrees.delete(directory);
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
        MessageDigest digest = Sha256.begin();
        try (InputStream bytes = Files.newInputStream(file)) {
            byte[] buffer = new byte[BUFFER];
            for (int read = bytes.read(buffer); read >= 0; read = bytes.read(buffer)) {
                digest.update(buffer, 0, read);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
