package service.core.json;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A growing list of bytes in pieces of 512 bytes to 64 KiB, each twice as long as the one before. Growing copies
 * nothing. One thread.
 *
 * <p>Bytes that are charged to a request are charged before they are allocated.
 */
public final class ByteChunks implements JsonWriter.Drain {
    private static final int CHUNK_BYTES_MAX = 64 << 10;

    private final List<byte[]> chunks = new ArrayList<>(4);
    private int[] lengths = new int[4];
    private long size;
    private LongConsumer charge = bytes -> {};

    /** Reports the bytes of each further chunk before it is allocated. */
    public void charge(LongConsumer to) {
        charge = to;
    }

    @Override
    public byte[] full(byte[] buffer, int length) {
        last(buffer, length);
        int next = Math.min(CHUNK_BYTES_MAX, buffer.length * 2);
        charge.accept(next);
        return new byte[next];
    }

    @Override
    public void last(byte[] buffer, int length) {
        size += length;
        if (chunks.size() == lengths.length) {
            lengths = java.util.Arrays.copyOf(lengths, lengths.length * 2);
        }
        lengths[chunks.size()] = length;
        chunks.add(buffer);
    }

    /** The number of bytes. */
    public long size() {
        return size;
    }

    /** The bytes, not copied. */
    public List<ByteBuffer> pieces() {
        List<ByteBuffer> pieces = new ArrayList<>(chunks.size() + 2);
        for (int i = 0; i < chunks.size(); i++) {
            pieces.add(ByteBuffer.wrap(chunks.get(i), 0, lengths[i]));
        }
        return pieces;
    }

    /** The length of pieces together, in bytes. */
    public static long length(List<ByteBuffer> pieces) {
        long length = 0;
        for (ByteBuffer piece : pieces) {
            length += piece.remaining();
        }
        return length;
    }

    /** Writes pieces, each in one call. */
    public static void write(List<ByteBuffer> pieces, OutputStream into) throws IOException {
        for (ByteBuffer piece : pieces) {
            into.write(piece.array(), piece.arrayOffset() + piece.position(), piece.remaining());
        }
    }

    /** Copies pieces into one array. */
    public static byte[] join(List<ByteBuffer> pieces) {
        byte[] all = new byte[Math.toIntExact(length(pieces))];
        ByteBuffer into = ByteBuffer.wrap(all);
        pieces.forEach(piece -> into.put(piece.duplicate()));
        return all;
    }

    /** All bytes in one array. */
    public byte[] toByteArray() {
        byte[] all = new byte[Math.toIntExact(size)];
        int at = 0;
        for (int i = 0; i < chunks.size(); i++) {
            System.arraycopy(chunks.get(i), 0, all, at, lengths[i]);
            at += lengths[i];
        }
        return all;
    }
}
