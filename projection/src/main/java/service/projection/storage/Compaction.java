package service.projection.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import service.core.error.ServiceException;
import service.log.format.EventLog;
import service.log.format.GraphLock;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbEnvironment;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.StorageFailure;

/**
 * Gives the disk space back that cleanup has freed: LMDB uses freed pages again, but its files do not shrink. Each file
 * is copied without them, synced, and renamed over the old one; killed anywhere, the graph has either the one or the
 * other. Needs the writer lock, and that nobody else has the graph open, and room for the copy.
 */
public final class Compaction {
    private static final String DATA = "data.mdb";
    private static final String LOCK = "lock.mdb";
    private static final String COPYING = "compacting";

    /** Bytes of the files before and after. */
    public record Report(long logBefore, long logAfter, long tablesBefore, long tablesAfter) {}

    private Compaction() {}

    /**
     * Compacts a graph that nobody has open.
     *
     * @throws ServiceException CONFLICT when somebody, named where it is the writer, has it open
     */
    public static Report run(Path graphDirectory, StorageOptions options) {
        // Closed cleanly, the tables can be copied as they are.
        LmdbGraphStorage.open(graphDirectory, options).close();
        try (GraphLock held = GraphLock.take(graphDirectory, GraphLock.Purpose.WRITING)) {
            Path log = graphDirectory.resolve(EventLog.DIRECTORY);
            Path tables = graphDirectory.resolve(LmdbGraphStorage.PROJECTION);
            long logBefore = Files.size(log.resolve(DATA));
            long tablesBefore = Files.size(tables.resolve(DATA));
            compact(held, graphDirectory, log);
            compact(held, graphDirectory, tables);
            return new Report(logBefore, Files.size(log.resolve(DATA)), tablesBefore, Files.size(tables.resolve(DATA)));
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, graphDirectory + ": cannot be compacted (" + e.getMessage() + ")", e);
        }
    }

    /** @param held proof that nobody writes */
    private static void compact(GraphLock held, Path graphDirectory, Path environment) throws IOException {
        Path copying = held.directory().resolve(COPYING);
        Checkpoints.deleteTree(copying);
        Files.createDirectory(copying);
        try (LmdbEnvironment open =
                LmdbEnvironment.open(environment, LmdbOptions.reading(), List.of(), CommitHook.NONE)) {
            open.copyTo(copying);
        }
        Path copy = copying.resolve(DATA);
        TrustFile.sync(copy);
        swap(graphDirectory, environment, copy);
        Checkpoints.deleteTree(copying);
    }

    /**
     * A process that reads the old file keeps LMDB's lock file locked, and would register its reads where the new
     * file's writer does not look: so there must be none, and the lock file goes with the file that it belongs to.
     * Whoever opens for reading just now waits for our lock, and then finds that its files were replaced (see
     * {@link LmdbEnvironment#open}).
     */
    private static void swap(Path graphDirectory, Path environment, Path copy) throws IOException {
        Path lockFile = environment.resolve(LOCK);
        try (FileChannel channel = FileChannel.open(
                        lockFile, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock(0, 1, false)) {
            if (lock == null) {
                throw ServiceException.conflict(
                        graphDirectory + " is being read by another process: end it, then compact again");
            }
            Files.move(
                    copy,
                    environment.resolve(DATA),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            TrustFile.sync(environment);
            Files.delete(lockFile);
        }
    }
}
