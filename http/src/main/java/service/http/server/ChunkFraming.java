package service.http.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.xnio.channels.StreamSinkChannel;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.StreamSourceConduit;

/**
 * Limits the bytes of a chunked body that are no content: sizes and extensions of chunks, and trailers. Undertow keeps
 * all trailers in memory and limits none of these. The conduit is above Undertow's decoder and compares what the
 * decoder read from the socket with what came out. After {@link #BYTES_MAX} bytes without content it fails the read, so
 * that the connection is closed.
 *
 * <p>Thread rule: one thread at a time, as the connection.
 */
final class ChunkFraming extends AbstractStreamSourceConduit<StreamSourceConduit> {
    /** As much as a header block, and one buffer that was read ahead. */
    static final int BYTES_MAX = 32 << 10;

    private final VersionCheck socket;

    ChunkFraming(StreamSourceConduit decoder, VersionCheck socket) {
        super(decoder);
        this.socket = socket;
    }

    /** One call of the decoder. */
    private interface Step {
        long run() throws IOException;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return (int) checked(() -> super.read(into));
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        return checked(() -> super.read(into, offset, length));
    }

    @Override
    public long transferTo(long position, long length, FileChannel target) throws IOException {
        return checked(() -> super.transferTo(position, length, target));
    }

    @Override
    public long transferTo(long length, ByteBuffer through, StreamSinkChannel target) throws IOException {
        return checked(() -> super.transferTo(length, through, target));
    }

    private long checked(Step step) throws IOException {
        long content;
        try {
            content = step.run();
        } catch (IllegalArgumentException e) {
            // Undertow's parser of trailers throws it for a line without a name.
            throw new IOException("a trailer of the body is malformed", e);
        }
        if (content > 0) {
            socket.forget();
        } else if (socket.count() > BYTES_MAX) {
            throw new IOException(
                    "the body sent " + BYTES_MAX + " bytes of chunk sizes, extensions or trailers without content");
        }
        return content;
    }
}
