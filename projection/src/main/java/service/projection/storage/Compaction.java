package service.projection.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import service.core.error.ServiceException;
import service.log.files.DurableFiles;
import service.log.files.FileTrees;
import service.log.format.EventLog;
import service.log.format.GraphLock;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbEnvironment;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.StorageFailure;

/**
 * Returns freed disk space to the file system. LMDB reuses the pages that cleanup has freed, but its files do not
 * shrink. Each file is copied without its free pages, synced, and renamed over the old one; when the process is killed,
 * the graph has the old file or the new one. Needs the writer lock, no other process that has the graph open, and disk
 * space for the copy.
 */
public final class Compaction {
    private static final String DATA = "data.mdb";
    private static final String LOCK = "lock.mdb";
    private static final String COPYING = "compacting";

    /** Bytes of the files before and after. */
    public record Report(long logBefore, long logAfter, long tablesBefore, long tablesAfter) {}

    private Compaction() {}

    /**
     * Compacts a graph that no process has open.
     *
     * @throws ServiceException CONFLICT when a process has it open; the message names it if it is the writer
     */
    public static Report run(Path graphDirectory, StorageOptions options) {
        // Opening and closing syncs the tables, so that they can be copied.
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

    /** @param held the writer lock */
    private static void compact(GraphLock held, Path graphDirectory, Path environment) throws IOException {
        Path copying = held.directory().resolve(COPYING);
        FileTrees.delete(copying);
        Files.createDirectory(copying);
        try {
            try (LmdbEnvironment open =
                    LmdbEnvironment.open(environment, LmdbOptions.reading(), List.of(), CommitHook.NONE)) {
                open.copyTo(copying);
            }
            Path copy = copying.resolve(DATA);
            DurableFiles.sync(copy);
            swap(graphDirectory, environment, copy);
        } finally {
            // What a full disk has left of the copy would keep it full.
            FileTrees.delete(copying);
        }
    }

    /**
     * A process that reads the old file keeps LMDB's lock file locked and would register its reads there, where the
     * writer of the new file does not read. So there must be no such process, and the lock file is deleted together
     * with its data file. A process that opens the graph for reading meanwhile waits for this lock and then finds that
     * its files were replaced (see {@link LmdbEnvironment#open}).
     */
    private static void swap(Path graphDirectory, Path environment, Path copy) throws IOException {
        Path lockFile = environment.resolve(LOCK);
        try (FileChannel channel = FileChannel.open(
                        lockFile, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock(0, 1, false)) {
            if (lock == null) {
                throw ServiceException.conflict(
                        graphDirectory + " is being read by another process: stop it, then compact again");
            }
            DurableFiles.move(copy, environment.resolve(DATA));
            Files.delete(lockFile);
        }
    }
}
