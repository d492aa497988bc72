package service.core.arrow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes one FlatBuffers message (<a href="https://flatbuffers.dev/internals/">the format</a>), from its end to its
 * beginning: children before the tables that refer to them. An <em>offset</em> is a distance from the end. One thread.
 */
final class FlatBuffer {
    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes = new byte[256];
    private int start = bytes.length;
    private int alignment = 1;
    private int[] slots = {};
    private int tableEnd;

    private int offset() {
        return bytes.length - start;
    }

    /** Makes room for {@code size} bytes, aligned to their size once {@code more} bytes are written after them. */
    private void prepare(int size, int more) {
        alignment = Math.max(alignment, size);
        int padding = -(offset() + more) & (size - 1);
        while (start < padding + size + more) {
            byte[] larger = new byte[2 * bytes.length];
            System.arraycopy(bytes, 0, larger, bytes.length, bytes.length);
            start += bytes.length;
            bytes = larger;
        }
        start -= padding;
    }

    private void putShort(int value) {
        prepare(Short.BYTES, 0);
        start -= Short.BYTES;
        SHORTS.set(bytes, start, (short) value);
    }

    private void putInt(int value) {
        prepare(Integer.BYTES, 0);
        start -= Integer.BYTES;
        INTS.set(bytes, start, value);
    }

    private void putLong(long value) {
        prepare(Long.BYTES, 0);
        start -= Long.BYTES;
        LONGS.set(bytes, start, value);
    }

    private void putOffset(int to) {
        prepare(Integer.BYTES, 0);
        putInt(offset() - to + Integer.BYTES);
    }

    /** Writes a text; returns its offset. */
    int string(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        prepare(Integer.BYTES, utf8.length + 1);
        start -= utf8.length + 1;
        System.arraycopy(utf8, 0, bytes, start, utf8.length);
        putInt(utf8.length);
        return offset();
    }

    /** Writes a vector of offsets; returns its own. */
    int vector(int[] offsets) {
        prepare(Integer.BYTES, Integer.BYTES * offsets.length);
        for (int i = offsets.length - 1; i >= 0; i--) {
            putOffset(offsets[i]);
        }
        putInt(offsets.length);
        return offset();
    }

    /** Writes a vector of structs of two numbers of 64 bits, given one after the other; returns its offset. */
    int pairs(long[] numbers) {
        prepare(Integer.BYTES, Long.BYTES * numbers.length);
        prepare(Long.BYTES, Long.BYTES * numbers.length);
        for (int i = numbers.length - 1; i >= 0; i--) {
            putLong(numbers[i]);
        }
        putInt(numbers.length / 2);
        return offset();
    }

    /** Begins a table. Nothing but its fields may be written until {@link #end}. */
    FlatBuffer table(int fields) {
        slots = new int[fields];
        tableEnd = offset();
        return this;
    }

    FlatBuffer byteField(int slot, int value) {
        prepare(1, 0);
        bytes[--start] = (byte) value;
        slots[slot] = offset();
        return this;
    }

    FlatBuffer shortField(int slot, int value) {
        putShort(value);
        slots[slot] = offset();
        return this;
    }

    FlatBuffer intField(int slot, int value) {
        putInt(value);
        slots[slot] = offset();
        return this;
    }

    FlatBuffer longField(int slot, long value) {
        putLong(value);
        slots[slot] = offset();
        return this;
    }

    FlatBuffer offsetField(int slot, int to) {
        putOffset(to);
        slots[slot] = offset();
        return this;
    }

    /** Ends the table; returns its offset. */
    int end() {
        putInt(0);
        int table = offset();
        for (int i = slots.length - 1; i >= 0; i--) {
            putShort(slots[i] == 0 ? 0 : table - slots[i]);
        }
        putShort(table - tableEnd);
        putShort((slots.length + 2) * Short.BYTES);
        INTS.set(bytes, bytes.length - table, offset() - table);
        return table;
    }

    /** Ends the message with its root table; returns its bytes, a multiple of 8. */
    byte[] finish(int root) {
        prepare(Math.max(alignment, Long.BYTES), Integer.BYTES);
        putOffset(root);
        return Arrays.copyOfRange(bytes, start, bytes.length);
    }
}
