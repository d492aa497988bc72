package service.log.lmdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.lmdbjava.DirectBufferProxy;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.LmdbException;

/**
 * Opens the environment of a directory, and its data file beside it.
 *
 * @param env the environment, without open tables
 * @param data the file that it has mapped
 */
record Opening(Env<DirectBuffer> env, DataFile data) {
    private static final int FILE_MODE = 0640;
    private static final int ATTEMPTS = 5;

    /**
     * Opens an environment whose file has all of its pages.
     *
     * @param canonical an existing directory
     * @throws StorageFailure DAMAGED when pages are missing, before anything is mapped
     */
    static Opening of(Path canonical, LmdbOptions options, int tables) {
        return options.readOnly() ? unreplaced(canonical, options, tables) : whole(canonical, options, tables);
    }

    /** The real path of a directory, which is made for writing. */
    static Path canonical(Path directory, boolean readOnly) {
        try {
            FileMask.restrict();
            if (!readOnly && !Files.isDirectory(directory)) {
                Files.createDirectories(directory);
            }
            return directory.toRealPath();
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, directory + ": cannot be opened (" + e.getMessage() + ")", e);
        }
    }

    /**
     * Opens for reading, and opens again while a compaction replaces the files: LMDB opens the data file and the lock
     * file one after the other, and a pair that does not belong together leads to wrong reads.
     */
    private static Opening unreplaced(Path canonical, LmdbOptions options, int tables) {
        Path lockFile = canonical.resolve(LockFile.NAME);
        for (int attempt = 1; ; attempt++) {
            Object data = OpenFiles.dataKey(canonical);
            Object lock = OpenFiles.key(lockFile);
            Opening opening = whole(canonical, options, tables);
            boolean same = Objects.equals(data, OpenFiles.dataKey(canonical))
                    && (lock == null || lock.equals(OpenFiles.key(lockFile)));
            if (same) {
                return opening;
            }
            opening.close();
            if (attempt == ATTEMPTS) {
                throw new StorageFailure(
                        StorageFailure.Kind.IO, canonical + ": its files are being replaced: try again");
            }
        }
    }

    private static Opening whole(Path canonical, LmdbOptions options, int tables) {
        Path file = canonical.resolve(DataFile.NAME);
        DataFile data = null;
        try {
            boolean isNew = !options.readOnly() && (!Files.exists(file) || Files.size(file) == 0);
            data = isNew ? null : DataFile.open(canonical);
            if (data != null) {
                requireWhole(data, file);
            }
            LockFile.allocate(canonical, options.readersMax());
            Env<DirectBuffer> env = environment(canonical, options, tables);
            DataFile opened = data == null ? DataFile.open(canonical) : data;
            data = null;
            return new Opening(env, opened);
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, canonical + ": cannot be opened (" + StorageFailure.why(e) + ")", e);
        } finally {
            if (data != null) {
                close(data);
            }
        }
    }

    /** Checks without mapping it that the file of an environment has its two heads and all its pages. */
    static void requireWhole(Path canonical) {
        Path file = canonical.resolve(DataFile.NAME);
        try (DataFile data = DataFile.open(canonical)) {
            requireWhole(data, file);
            if (data.meta() == null) {
                throw new StorageFailure(
                        StorageFailure.Kind.DAMAGED, file + " is no file of a graph; restore it from a backup");
            }
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, canonical + ": cannot be opened (" + StorageFailure.why(e) + ")", e);
        }
    }

    private static void requireWhole(DataFile data, Path file) throws IOException {
        String shortage = data.shortage();
        if (shortage != null) {
            throw new StorageFailure(
                    StorageFailure.Kind.DAMAGED, file + " is cut off: " + shortage + "; restore it from a backup");
        }
    }

    private static Env<DirectBuffer> environment(Path canonical, LmdbOptions options, int tables) {
        List<EnvFlags> flags = new ArrayList<>(List.of(EnvFlags.MDB_NOTLS));
        if (options.readOnly()) {
            flags.add(EnvFlags.MDB_RDONLY_ENV);
        }
        if (options.durability() == LmdbOptions.Durability.UNSYNCED) {
            flags.add(EnvFlags.MDB_NOSYNC);
        }
        try {
            return Env.create(DirectBufferProxy.PROXY_DB)
                    .setMapSize(options.mapBytes())
                    .setMaxDbs(Math.max(1, tables))
                    .setMaxReaders(options.readersMax())
                    .open(canonical.toFile(), FILE_MODE, flags.toArray(EnvFlags[]::new));
        } catch (LmdbException e) {
            throw StorageFailure.of(e, canonical);
        }
    }

    private static void close(DataFile data) {
        try {
            data.close();
        } catch (IOException e) {
            throw new StorageFailure(StorageFailure.Kind.IO, "a data file cannot be closed", e);
        }
    }

    void close() {
        env.close();
        close(data);
    }
}
