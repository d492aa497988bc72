package service.core.json;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import service.core.budget.MemoryAccount;
import service.core.budget.RequestBudget;

/**
 * JSON in pieces of memory that can be truncated: for pages and chunks of a bounded size. One thread.
 *
 * <p>The writer fills the pieces directly, so growing copies nothing. The first piece is short, because most pages are;
 * the others have one length, and {@link #truncate} keeps some of them for the next buffer, because clearing new memory
 * costs as much as writing JSON into it.
 */
public final class JsonBuffer {
    /** Length of every piece except the first. */
    public static final int PIECE_BYTES = 64 << 10;

    /** Maximum number of pieces kept for the next buffer: those of two of the longest pages. */
    private static final int SPARE_PIECES_MAX = 128;

    private static final ArrayBlockingQueue<byte[]> SPARE = new ArrayBlockingQueue<>(SPARE_PIECES_MAX);

    private record Piece(byte[] bytes, int length) {}

    private final JsonWriter writer;
    private final MemoryAccount memory;
    private final List<Piece> full = new ArrayList<>();
    private int fullBytes;
    private byte[] last;

    /**
     * An empty buffer.
     *
     * @param firstBytes length of the first piece
     * @param budget charged for every piece except the first
     * @param int64 how values of 64 bits are written
     */
    public JsonBuffer(int firstBytes, RequestBudget budget, Int64Form int64) {
        this.memory = budget.memory();
        last = new byte[firstBytes];
        writer = new JsonWriter(last, this::grow, int64);
    }

    /** The writer that appends to this buffer. */
    public JsonWriter writer() {
        return writer;
    }

    /** The number of bytes written. */
    public int size() {
        return fullBytes + writer.pending();
    }

    /**
     * Drops the bytes after a {@link #size}. The caller must make sure that the next value needs no comma or gets one:
     * by ending an object or an array, or by beginning a line.
     */
    public void truncate(int size) {
        while (size < fullBytes) {
            memory.release(PIECE_BYTES);
            spare(last);
            Piece piece = full.removeLast();
            last = piece.bytes();
            fullBytes -= piece.length();
        }
        writer.goOn(last, size - fullBytes);
    }

    /** Writes the bytes from one {@link #size} to another. */
    public void writeTo(OutputStream into, int from, int to) throws IOException {
        int start = 0;
        for (Piece piece : full) {
            write(piece.bytes(), start, start + piece.length(), from, to, into);
            start += piece.length();
        }
        write(last, start, start + writer.pending(), from, to, into);
    }

    private static void write(byte[] piece, int start, int end, int from, int to, OutputStream into)
            throws IOException {
        int begin = Math.max(start, from);
        int count = Math.min(end, to) - begin;
        if (count > 0) {
            into.write(piece, begin - start, count);
        }
    }

    /** The bytes, not copied: valid until the next write or {@link #truncate}. */
    public List<ByteBuffer> pieces() {
        List<ByteBuffer> pieces = new ArrayList<>(full.size() + 1);
        full.forEach(piece -> pieces.add(ByteBuffer.wrap(piece.bytes(), 0, piece.length())));
        pieces.add(ByteBuffer.wrap(last, 0, writer.pending()));
        return pieces;
    }

    /** A copy of all bytes. */
    public byte[] toByteArray() {
        byte[] all = new byte[size()];
        int at = 0;
        for (Piece piece : full) {
            System.arraycopy(piece.bytes(), 0, all, at, piece.length());
            at += piece.length();
        }
        System.arraycopy(last, 0, all, at, writer.pending());
        return all;
    }

    private byte[] grow(byte[] piece, int length) {
        memory.charge(PIECE_BYTES, "the answer", "ask for less at a time");
        full.add(new Piece(piece, length));
        fullBytes += length;
        byte[] spare = SPARE.poll();
        last = spare == null ? new byte[PIECE_BYTES] : spare;
        return last;
    }

    /** Takes a piece back; no part of a buffer refers to it any more. */
    private static void spare(byte[] piece) {
        if (piece.length == PIECE_BYTES) {
            SPARE.offer(piece);
        }
    }
}
