package service.core.io;

import java.io.IOException;
import java.io.InputStream;

/**
 * A stream that is read in blocks; a single byte is a block of one. As the thread rule of the class that extends it.
 */
public abstract class BlockInputStream extends InputStream {
    @Override
    public final int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    /** As {@link InputStream#read(byte[], int, int)}; returns at least one byte of a length above 0, or −1. */
    @Override
    public abstract int read(byte[] into, int offset, int length) throws IOException;
}
