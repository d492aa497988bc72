package service.log.backup;

import java.io.OutputStream;

/** Counts what is written to it, and keeps nothing. One thread. */
public final class ByteCount extends OutputStream {
    private long bytes;

    @Override
    public void write(int value) {
        bytes++;
    }

    @Override
    public void write(byte[] from, int offset, int count) {
        bytes += count;
    }

    /** The number of bytes written so far. */
    public long bytes() {
        return bytes;
    }
}
