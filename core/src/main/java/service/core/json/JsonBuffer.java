package service.core.json;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * JSON in one growing array whose end can be taken back: for pages and chunks of a bounded size.
 * One thread.
 */
public final class JsonBuffer {
    private static final int PIECE_BYTES = 4 << 10;

    private final JsonWriter writer =
            new JsonWriter(
                    new byte[PIECE_BYTES],
                    (piece, count) -> {
                        append(piece, count);
                        return piece;
                    });
    private byte[] bytes;
    private int length;

    public JsonBuffer(int capacity) {
        bytes = new byte[capacity];
    }

    /** Writes behind what is there. */
    public JsonWriter writer() {
        return writer;
    }

    /** How many bytes were written. */
    public int size() {
        writer.flush();
        return length;
    }

    /**
     * Forgets what was written behind a {@link #size}. Whether the next value needs a comma is the
     * caller's to see to: end an object or an array, or begin a line.
     */
    public void truncate(int size) {
        writer.flush();
        length = size;
    }

    public void writeTo(OutputStream into) throws IOException {
        // The array is another one once the writer's last piece is in it.
        int size = size();
        into.write(bytes, 0, size);
    }

    /** Writes the bytes from one {@link #size} to another. */
    public void writeTo(OutputStream into, int from, int to) throws IOException {
        into.write(bytes, from, to - from);
    }

    public byte[] toByteArray() {
        int size = size();
        return Arrays.copyOf(bytes, size);
    }

    private void append(byte[] piece, int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
        }
        System.arraycopy(piece, 0, bytes, length, count);
        length += count;
    }
}
