package service.log.format;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.lmdbjava.LmdbException;
import service.core.blob.StageFile;
import service.core.blob.StagedBlobs;
import service.core.error.DamagedDataException;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.BlobStore;
import service.core.value.Value;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.StorageFailure;

/**
 * The blobs of one log, for reading and staging. Staged bytes are in {@code <graph>/staged}, outside of LMDB and
 * without fsync; they become durable when the writer puts them with their event.
 */
public final class StoredBlobs implements BlobStore {
    /** The directory of staged blobs, inside the directory of the graph. */
    public static final String STAGED = "staged";

    private static final int KEYS_KEPT_MAX = 64;

    private final EventLog log;
    private final Path staged;
    private final ConcurrentLinkedQueue<KeyBuffer> keys = new ConcurrentLinkedQueue<>();

    public StoredBlobs(EventLog log) {
        this.log = log;
        this.staged = log.directory().resolve(STAGED);
    }

    /** Removes staged files of a dead process. Call with the writer lock held. */
    public void forgetStaged() {
        if (!Files.isDirectory(staged)) {
            return;
        }
        try (Stream<Path> files = Files.list(staged)) {
            List<Path> left = files.toList();
            for (Path file : left) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, staged + ": cannot be emptied (" + e.getMessage() + ")", e);
        }
    }

    @Override
    public StagedBlobs stage() {
        return StagedBlobs.in(this::stageFile);
    }

    /** Opens a file for a stage. The graph must be open until it is closed: the next opening deletes it. */
    public StageFile stageFile() {
        return StagedFile.open(staged);
    }

    @Override
    public int read(Value.ManagedBlob blob, long offset, byte[] into) {
        if (offset < 0 || offset >= blob.size() || into.length == 0) {
            throw new IllegalArgumentException("%d bytes at %d of %d".formatted(into.length, offset, blob.size()));
        }
        KeyBuffer taken = keys.poll();
        KeyBuffer key = taken == null ? new KeyBuffer() : taken;
        int count;
        try (ReadTransaction read = log.environment().read()) {
            count = BlobTable.read(read.txn(), log.blobs(), key, blob, offset, into);
        } catch (LmdbException e) {
            throw StorageFailure.of(e, log.directory());
        } finally {
            if (keys.size() < KEYS_KEPT_MAX) {
                keys.add(key);
            }
        }
        if (count < 0) {
            if (log.reloadRetention().revision() == 0) {
                throw DamagedDataException.blob(blob.hex(), "its head is missing and no cleanup has run");
            }
            throw new ServiceException(
                    ErrorCode.SNAPSHOT_RECLAIMED,
                    "the bytes of the blob " + blob.hex() + " have been reclaimed by cleanup");
        }
        return count;
    }
}
