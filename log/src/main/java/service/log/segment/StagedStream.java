package service.log.segment;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import service.core.blob.StagedBlobs;
import service.core.port.BlobStore;
import service.core.value.Value;

/** The bytes of a staged blob. One thread. */
final class StagedStream extends InputStream {
    private final Value.ManagedBlob blob;
    private final StagedBlobs staged;
    private final byte[] piece;
    private long at;
    private InputStream current = new ByteArrayInputStream(new byte[0]);

    StagedStream(Value.ManagedBlob blob, StagedBlobs staged) {
        this.blob = blob;
        this.staged = staged;
        this.piece = new byte[(int) Math.min(BlobStore.PIECE_BYTES, blob.size())];
    }

    private boolean fill() throws IOException {
        if (current.available() == 0 && at < blob.size()) {
            int count = (int) Math.min(piece.length, blob.size() - at);
            staged.read(blob, at, piece, count);
            current = new ByteArrayInputStream(piece, 0, count);
            at += count;
        }
        return current.available() > 0;
    }

    @Override
    public int read() throws IOException {
        return fill() ? current.read() : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        return fill() ? current.read(into, offset, length) : length == 0 ? 0 : -1;
    }
}
