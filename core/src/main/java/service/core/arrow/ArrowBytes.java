package service.core.arrow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import service.core.port.QueryExecutor;

/** A buffer of Arrow that grows, little-endian. Its bytes are charged before they are allocated. One thread. */
final class ArrowBytes {
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int ROOM_MIN = 64;

    /** Copying so many bytes one by one costs less than a call. */
    private static final int FEW = 12;

    byte[] bytes = {};
    int used;

    /** The length of what was taken last, which the next one probably has, too. */
    private int taken;

    /** Makes room for more bytes. */
    void room(int more, QueryExecutor.Kept kept) {
        if (more > bytes.length - used) {
            int before = bytes.length;
            int length = Math.max(before == 0 ? Math.max(ROOM_MIN, taken) : 0, Math.addExact(used, more));
            if (length < Integer.MAX_VALUE / 2) {
                length = Math.max(length, Math.min(2 * before, before + (16 << 20)));
            }
            kept.bytes(length);
            bytes = Arrays.copyOf(bytes, length);
            kept.release(before);
        }
    }

    /** Puts a number into room that there is. */
    void putInt(int value) {
        INTS.set(bytes, used, value);
        used += Integer.BYTES;
    }

    /** Puts a number into room that there is. */
    void putLong(long value) {
        LONGS.set(bytes, used, value);
        used += Long.BYTES;
    }

    /** Puts numbers of 4 or 8 bytes into room that there is. */
    void put(long[] from, int count, int width) {
        if (width == Long.BYTES) {
            ByteBuffer.wrap(bytes, used, count * width)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asLongBuffer()
                    .put(from, 0, count);
            used += count * width;
        } else {
            for (int i = 0; i < count; i++) {
                putInt((int) from[i]);
            }
        }
    }

    /** Puts bytes, a few as a rule, into room that there is. */
    void putShort(byte[] from, int start, int length) {
        byte[] into = bytes;
        int at = used;
        if (length <= FEW) {
            for (int i = 0; i < length; i++) {
                into[at + i] = from[start + i];
            }
        } else {
            System.arraycopy(from, start, into, at, length);
        }
        used = at + length;
    }

    void put(byte[] from, int start, int length, QueryExecutor.Kept kept) {
        room(length, kept);
        System.arraycopy(from, start, bytes, used, length);
        used += length;
    }

    /** Gives the bytes away, and begins again with none. */
    ByteBuffer take() {
        ByteBuffer all = ByteBuffer.wrap(bytes, 0, used);
        taken = used;
        bytes = new byte[0];
        used = 0;
        return all;
    }
}
