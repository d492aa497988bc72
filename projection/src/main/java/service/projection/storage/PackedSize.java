package service.projection.storage;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.agrona.DirectBuffer;

/** Counts the bytes to which a backup would compress what it is given. One thread. */
final class PackedSize implements AutoCloseable {
    private static final int LEVEL = 3;
    private static final int PIECE_BYTES = 64 << 10;

    private final byte[] piece = new byte[PIECE_BYTES];
    private final ZstdOutputStreamNoFinalizer packing;
    private long bytes;

    PackedSize() {
        try {
            packing = new ZstdOutputStreamNoFinalizer(counting(), LEVEL);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A stream that counts into this. */
    private OutputStream counting() {
        return new OutputStream() {
            @Override
            public void write(int value) {
                bytes++;
            }

            @Override
            public void write(byte[] from, int offset, int count) {
                bytes += count;
            }
        };
    }

    void add(DirectBuffer from, int length) {
        try {
            for (int at = 0; at < length; at += PIECE_BYTES) {
                int count = Math.min(PIECE_BYTES, length - at);
                from.getBytes(at, piece, 0, count);
                packing.write(piece, 0, count);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bytes of everything; nothing can be added afterwards. */
    long finish() {
        close();
        return bytes;
    }

    @Override
    public void close() {
        try {
            packing.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
