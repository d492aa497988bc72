package service.core.port;

import service.core.blob.StagedBlobs;
import service.core.value.Value;

/**
 * The managed bytes of one graph, by content. They become durable with the commit that brings them (see
 * {@link CommitLog#submit(WriteCommand, StagedBlobs)}) and never change; cleanup takes those that nothing refers to any
 * more.
 *
 * <p>Thread rule: any thread.
 */
public interface BlobStore {
    /** What one {@link #read} gives at most. */
    int PIECE_BYTES = 64 << 10;

    /** A place for the bytes that one request brings; to be closed when its write is over. */
    StagedBlobs stage();

    /**
     * Copies bytes of a blob from an offset on, in one short look at storage that is over when this returns: who reads
     * slowly keeps nothing open.
     *
     * @param offset below the blob's size
     * @return how many: at least 1, at most the array's length and {@link #PIECE_BYTES}
     * @throws service.core.error.ServiceException SNAPSHOT_RECLAIMED when the bytes are gone
     */
    int read(Value.ManagedBlob blob, long offset, byte[] into);
}
