package service.cli.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Bytes of a page of Parquet that grow, little-endian. One thread. */
final class PageBytes {
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    byte[] bytes = new byte[1 << 10];
    int used;

    void clear() {
        used = 0;
    }

    /** Makes room for more bytes. */
    void room(int more) {
        if (more > bytes.length - used) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(used, more), 2 * bytes.length));
        }
    }

    void put(int value) {
        room(1);
        bytes[used++] = (byte) value;
    }

    void putInt(int value) {
        room(Integer.BYTES);
        INTS.set(bytes, used, value);
        used += Integer.BYTES;
    }

    void putLong(long value) {
        room(Long.BYTES);
        LONGS.set(bytes, used, value);
        used += Long.BYTES;
    }

    void put(byte[] from, int start, int length) {
        room(length);
        System.arraycopy(from, start, bytes, used, length);
        used += length;
    }
}
