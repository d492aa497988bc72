package service.log.segment;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Bytes that are written once and then read several times: on the heap up to 8 MiB, in a file beyond. One thread. */
final class SpooledBytes extends OutputStream {
    private static final int HEAP_BYTES_MAX = 8 << 20;
    private static final int FIRST_BYTES = 4 << 10;

    /** Names a file that does not exist yet. */
    @FunctionalInterface
    interface Place {
        Path next() throws IOException;
    }

    private final Place place;
    private byte[] heap = new byte[FIRST_BYTES];
    private long length;
    private @Nullable Path file;
    private @Nullable OutputStream out;

    SpooledBytes(Place place) {
        this.place = place;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int count) throws IOException {
        OutputStream open = out;
        if (open == null && length + count <= HEAP_BYTES_MAX) {
            if (length + count > heap.length) {
                heap = Arrays.copyOf(heap, (int) Math.max(length + count, 2L * heap.length));
            }
            System.arraycopy(from, offset, heap, (int) length, count);
        } else {
            if (open == null) {
                open = spill();
            }
            open.write(from, offset, count);
        }
        length += count;
    }

    private OutputStream spill() throws IOException {
        Path named = place.next();
        OutputStream opened = Files.newOutputStream(named);
        file = named;
        out = opened;
        opened.write(heap, 0, (int) length);
        heap = new byte[0];
        return opened;
    }

    long length() {
        return length;
    }

    /** Reads the bytes from the beginning. */
    InputStream open() throws IOException {
        Path from = file;
        OutputStream written = out;
        if (from == null || written == null) {
            return new ByteArrayInputStream(heap, 0, (int) length);
        }
        written.flush();
        return Files.newInputStream(from);
    }

    /** Drops the bytes. */
    @Override
    public void close() {
        try {
            if (out != null) {
                out.close();
            }
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
