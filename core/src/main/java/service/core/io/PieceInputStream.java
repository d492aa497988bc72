package service.core.io;

import java.io.IOException;
import java.io.InputStream;

/** A stream of bytes that are made or received in pieces. As the thread rule of the class that extends it. */
public abstract class PieceInputStream extends InputStream {
    private byte[] piece = {};
    private int position;
    private int end;

    /** Called when all bytes were read: {@link #give gives} the next ones, at least one, or none at the end. */
    protected abstract void next() throws IOException;

    /** The next bytes: the first ones of an array, which is not copied and stays as it is until the next call. */
    protected final void give(byte[] bytes, int length) {
        piece = bytes;
        position = 0;
        end = length;
    }

    @Override
    public final int read() throws IOException {
        return isAtEnd() ? -1 : piece[position++] & 0xFF;
    }

    @Override
    public final int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (isAtEnd()) {
            return -1;
        }
        int count = Math.min(length, end - position);
        System.arraycopy(piece, position, into, offset, count);
        position += count;
        return count;
    }

    private boolean isAtEnd() throws IOException {
        if (position == end) {
            next();
        }
        return position == end;
    }
}
