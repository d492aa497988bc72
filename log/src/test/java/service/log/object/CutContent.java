package service.log.object;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
import service.core.port.ObjectStore;

/** Bytes that cannot be read beyond their middle from the second reading on; the first one is for the signature. */
final class CutContent implements ObjectStore.Content {
    private final byte[] bytes;
    private int readings;

    CutContent(byte[] bytes) {
        this.bytes = bytes;
    }

    @Override
    public long length() {
        return bytes.length;
    }

    @Override
    public InputStream open() {
        return readings++ == 0
                ? new ByteArrayInputStream(bytes)
                : new SequenceInputStream(
                        new ByteArrayInputStream(Arrays.copyOf(bytes, bytes.length / 2)), new Broken());
    }

    private static final class Broken extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException("broken");
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            throw new IOException("broken");
        }
    }
}
