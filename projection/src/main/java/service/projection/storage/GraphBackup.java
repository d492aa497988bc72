package service.projection.storage;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.LongConsumer;
import service.core.error.ServiceException;
import service.log.backup.BackupFile;
import service.log.backup.BackupManifest;
import service.log.backup.LogBackup;
import service.log.backup.LogRestore;
import service.log.format.EventLog;
import service.log.lmdb.StorageFailure;

/**
 * Backups of graphs: the log, all of it, and the base image that its replay starts from. Tables are not in it; they are
 * made again where it is restored.
 */
public final class GraphBackup {
    private GraphBackup() {}

    /**
     * Backs a graph up that this process does not have open, beside the process that writes it.
     *
     * @param graphId what the backup calls it
     * @param into gets the whole backup; stays open
     */
    public static BackupManifest write(Path graphDirectory, String graphId, OutputStream into) throws IOException {
        try (EventLog log = EventLog.openReadOnly(graphDirectory)) {
            return LogBackup.write(log, graphId, new Checkpoints(graphDirectory)::open, into);
        }
    }

    /**
     * Makes a graph of a backup. Its directory appears at the end, whole, with its digest, its hash chain and its
     * tables checked and made; until then there is a hidden one beside it, which the next attempt removes.
     *
     * @param progress told how many events are there
     * @throws ServiceException CONFLICT when the directory exists; BAD_REQUEST when the file is no backup, truncated,
     *     damaged or too new
     * @throws service.core.event.EventFormatException when an event does not fit its chain
     */
    public static BackupManifest restore(Path file, Path graphDirectory, StorageOptions options, LongConsumer progress)
            throws IOException {
        Path target = graphDirectory.toAbsolutePath().normalize();
        requireMissing(target);
        try (BackupFile backup = BackupFile.open(file)) {
            Path beside = target.resolveSibling("." + target.getFileName() + ".restoring");
            Checkpoints.deleteTree(beside);
            Files.createDirectories(beside);
            try {
                LogRestore.run(backup, beside, new Checkpoints(beside)::file, progress);
                LmdbGraphStorage.open(beside, options).close();
                TrustFile.sync(beside);
                requireMissing(target);
                Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException | RuntimeException e) {
                removeQuietly(beside, e);
                throw e;
            }
            Path parent = target.getParent();
            if (parent != null) {
                TrustFile.sync(parent);
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

    private static void removeQuietly(Path directory, Exception cause) {
        try {
            Checkpoints.deleteTree(directory);
        } catch (IOException | StorageFailure e) {
            cause.addSuppressed(e);
        }
    }
}
