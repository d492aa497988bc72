package service.core.batch;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.value.HeapBytes;

/**
 * UTF-8 text: row i is {@code bytes[starts[i] .. starts[i] + lengths[i])}. Rows may be appended in any order; content
 * only grows until {@link #reset()}. Comparing bytes (unsigned) orders by code point, as GQ does.
 */
public final class TextColumn extends Column {
    private static final int BYTES_A_ROW = 16;

    /** Maximum bytes of the texts of one batch. */
    private static final int BYTES_MAX = 256 << 20;

    public byte[] bytes = {};
    public int[] starts = {};
    public int[] lengths = {};
    private int used;

    /** The column's own bytes while {@link #bytes} is shared. */
    private byte @Nullable [] own;

    /** The codes of the rows while the column has a dictionary. */
    private char[] codes = {};

    private @Nullable Dictionary dictionary;

    /** Room for the codes of so many rows, to be filled before {@link #decode}. */
    public char[] codes(int rows) {
        if (codes.length < rows) {
            int room = Math.max(rows, room());
            charge((long) Character.BYTES * (room - codes.length));
            codes = new char[room];
        }
        return codes;
    }

    /**
     * Gives the rows {@code [0, rows)} the texts of their codes, without a copy of the texts. Call it after a reset and
     * before any row is set. The next text that is set, or the next reset, ends the use of the dictionary.
     */
    public void decode(Dictionary from, int rows) {
        own = own == null ? bytes : own;
        bytes = from.bytes;
        used = bytes.length;
        dictionary = from;
        int least = Character.MAX_VALUE;
        for (int i = 0; i < rows; i++) {
            char code = codes[i];
            starts[i] = from.starts[code];
            lengths[i] = from.lengths[code];
            least = Math.min(least, code);
        }
        for (int i = 0; i < rows && least == Dictionary.NULL; i++) {
            if (codes[i] == Dictionary.NULL) {
                setNull(i);
            }
        }
    }

    /**
     * The dictionary of all rows; null when they have texts without codes. A row is null if and only if its code is.
     */
    public @Nullable Dictionary dictionary() {
        return dictionary;
    }

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

    /** Whether each of the first rows has a text, and each begins where the one before it ends. */
    public boolean isContiguous(int rows) {
        for (int row = 1; row < rows; row++) {
            if (starts[row] != starts[row - 1] + lengths[row - 1]) {
                return false;
            }
        }
        return !hasNulls();
    }

    public String text(int row) {
        return new String(bytes, starts[row], lengths[row], StandardCharsets.UTF_8);
    }

    private int reserve(int row, int length) {
        if (row >= starts.length) {
            makeRoom(row + 1);
        }
        int start = used;
        if (own != null || bytes.length - start < length) {
            if (length > BYTES_MAX - start) {
                throw new ServiceException(
                        ErrorCode.RESOURCE_LIMIT,
                        "the texts of "
                                + (row + 1)
                                + " rows take more than "
                                + BYTES_MAX
                                + " bytes: narrow the match or return fewer texts",
                        new ErrorDetail.ResourceLimit("memory_bytes", BYTES_MAX, null));
            }
            int room = HeapBytes.room(start + length);
            charge(HeapBytes.array(room, 1));
            int before = own == null ? bytes.length : own.length;
            bytes = Arrays.copyOf(bytes, room);
            release(HeapBytes.array(before, 1));
            own = null;
            dictionary = null;
        }
        used = start + length;
        starts[row] = start;
        lengths[row] = length;
        return start;
    }

    @Override
    int room() {
        return starts.length;
    }

    @Override
    int rowBytes() {
        return 2 * Integer.BYTES;
    }

    @Override
    void grow(int rows) {
        starts = Arrays.copyOf(starts, rows);
        lengths = Arrays.copyOf(lengths, rows);
        if (own == null && bytes.length < BYTES_A_ROW * rows) {
            charge(HeapBytes.array((long) BYTES_A_ROW * rows, 1) - HeapBytes.array(bytes.length, 1));
            bytes = Arrays.copyOf(bytes, BYTES_A_ROW * rows);
        }
    }

    @Override
    void forget() {
        byte[] before = own;
        if (before != null) {
            bytes = before;
            own = null;
            dictionary = null;
        }
        used = 0;
    }

    @Override
    void copyValue(Column from, int fromRow, int toRow) {
        TextColumn other = (TextColumn) from;
        set(toRow, other.bytes, other.starts[fromRow], other.lengths[fromRow]);
    }

    @Override
    Column empty() {
        return new TextColumn();
    }
}
