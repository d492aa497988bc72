package service.projection.storage;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import service.core.error.ServiceException;
import service.log.backup.BackupFile;
import service.log.backup.BackupManifest;
import service.log.backup.LogBackup;
import service.log.backup.LogRestore;
import service.log.files.DurableFiles;
import service.log.files.FileTrees;
import service.log.format.EventLog;

/**
 * Backups of graphs: the whole log and the base image from which its replay starts. A backup has no tables; a restore
 * makes them again.
 */
public final class GraphBackup {
    private GraphBackup() {}

    /**
     * Backs up a graph that this process does not have open; another process may write it meanwhile.
     *
     * @param graphId the name of the graph in the backup
     * @param into gets the whole backup; stays open
     */
    public static BackupManifest write(Path graphDirectory, String graphId, OutputStream into) throws IOException {
        try (EventLog log = EventLog.openReadOnly(graphDirectory)) {
            return LogBackup.write(log, graphId, new Checkpoints(graphDirectory)::open, into);
        }
    }

    /**
     * Makes a graph from a backup. Until the digest and the hash chain are checked and the tables are made, the graph
     * is in a hidden directory next to its target, which the next attempt removes. Then the directory is renamed, so it
     * appears complete or not at all.
     *
     * @param progress called with the number of events restored so far
     * @throws ServiceException CONFLICT when the directory exists; BAD_REQUEST when the file is no backup, or is
     *     truncated, damaged or too new
     * @throws service.core.event.EventFormatException when an event does not fit its chain
     */
    public static BackupManifest restore(Path file, Path graphDirectory, StorageOptions options, LongConsumer progress)
            throws IOException {
        Path target = graphDirectory.toAbsolutePath().normalize();
        requireMissing(target);
        try (BackupFile backup = BackupFile.open(file)) {
            Path beside = target.resolveSibling("." + target.getFileName() + ".restoring");
            FileTrees.delete(beside);
            Files.createDirectories(beside);
            try {
                LogRestore.run(backup, beside, new Checkpoints(beside)::file, progress);
                LmdbGraphStorage.open(beside, options).close();
                DurableFiles.sync(beside);
                requireMissing(target);
                DurableFiles.move(beside, target);
            } catch (IOException | RuntimeException e) {
                FileTrees.deleteOrWarn(beside);
                throw e;
            }
            return backup.manifest();
        }
    }

    private static void requireMissing(Path target) {
        if (Files.exists(target)) {
            throw ServiceException.conflict(
                    target
                            + " exists already, and a restore overwrites nothing: name a store that does not exist, or move this one away");
        }
    }
}
