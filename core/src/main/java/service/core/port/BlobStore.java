package service.core.port;

import service.core.blob.StagedBlobs;
import service.core.value.Value;

/**
 * The managed bytes of one graph, addressed by content. They become durable with the commit that brings them (see
 * {@link CommitLog#submit(WriteCommand, StagedBlobs)}) and never change; cleanup removes those without a reference.
 *
 * <p>Thread rule: any thread.
 */
public interface BlobStore {
    /**
     * Maximum number of bytes that one {@link #read} returns. A read at a multiple of it is the cheapest, because the
     * checksum covers whole pieces. A multiple of three, so that the base64 of the pieces concatenates to that of the
     * whole.
     */
    int PIECE_BYTES = 65_514;

    /** Opens a stage for the bytes that one request brings. The caller closes it after the write. */
    StagedBlobs stage();

    /**
     * Copies bytes of a blob from an offset, after their checksum was compared. Each call reads in a transaction that
     * ends before the call returns, so that a slow reader keeps no transaction open.
     *
     * @param offset less than the blob's size
     * @return the number of bytes: at least 1, at most the array's length and {@link #PIECE_BYTES}
     * @throws service.core.error.ServiceException SNAPSHOT_RECLAIMED when cleanup has removed the bytes
     * @throws service.core.error.DamagedDataException when they differ from those that were written, or are missing
     *     although no cleanup has run
     */
    int read(Value.ManagedBlob blob, long offset, byte[] into);
}
