package service.core.batch;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/**
 * UTF-8 text: row i is {@code bytes[starts[i] .. starts[i] + lengths[i])}. Rows may be appended in
 * any order; content only grows until {@link #reset()}. Comparing bytes (unsigned) orders by code
 * point, as GQ does.
 */
public final class TextColumn extends Column {
    public byte[] bytes = new byte[16 * CAPACITY];
    public final int[] starts = new int[CAPACITY];
    public final int[] lengths = new int[CAPACITY];
    private int used;

    public void set(int row, DirectBuffer from, int position, int length) {
        int start = reserve(row, length);
        from.getBytes(position, bytes, start, length);
    }

    public void set(int row, byte[] from, int position, int length) {
        int start = reserve(row, length);
        System.arraycopy(from, position, bytes, start, length);
    }

    public void set(int row, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        set(row, utf8, 0, utf8.length);
    }

    public String text(int row) {
        return new String(bytes, starts[row], lengths[row], StandardCharsets.UTF_8);
    }

    private int reserve(int row, int length) {
        int start = used;
        if (bytes.length - start < length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, start + length));
        }
        used = start + length;
        starts[row] = start;
        lengths[row] = length;
        return start;
    }

    @Override
    public void reset() {
        super.reset();
        used = 0;
    }

    @Override
    public void copy(Column from, int fromRow, int toRow) {
        if (from.isNull(fromRow)) {
            setNull(toRow);
        } else {
            TextColumn other = (TextColumn) from;
            set(toRow, other.bytes, other.starts[fromRow], other.lengths[fromRow]);
        }
    }

    @Override
    public TextColumn sibling() {
        return new TextColumn();
    }
}
