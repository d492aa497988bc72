package service.projection.temporal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A key under construction: big-endian, so that the order of bytes is the order of the parts. Reused; one thread. */
public final class Key {
    /** LMDB's limit. */
    public static final int CAPACITY = 511;

    private final UnsafeBuffer bytes = new UnsafeBuffer(ByteBuffer.allocateDirect(CAPACITY));
    private final UnsafeBuffer written = new UnsafeBuffer(bytes, 0, 0);
    private int length;

    public Key clear() {
        length = 0;
        return this;
    }

    public Key putByte(int value) {
        bytes.putByte(length, (byte) value);
        length += Byte.BYTES;
        return this;
    }

    public Key putInt(int value) {
        bytes.putInt(length, value, ByteOrder.BIG_ENDIAN);
        length += Integer.BYTES;
        return this;
    }

    public Key putLong(long value) {
        bytes.putLong(length, value, ByteOrder.BIG_ENDIAN);
        length += Long.BYTES;
        return this;
    }

    public Key putBytes(DirectBuffer from, int position, int count) {
        bytes.putBytes(length, from, position, count);
        length += count;
        return this;
    }

    public Key putBytes(byte[] from, int position, int count) {
        bytes.putBytes(length, from, position, count);
        length += count;
        return this;
    }

    public Key putMemory(long address, int count) {
        org.agrona.UnsafeApi.copyMemory(address, bytes.addressOffset() + length, count);
        length += count;
        if (length > CAPACITY) {
            throw new IllegalStateException("a key of " + length + " bytes: more than " + CAPACITY);
        }
        return this;
    }

    /** Truncates the key to an earlier length. */
    public Key truncate(int toLength) {
        length = toLength;
        return this;
    }

    public Key copy(Key from, int count) {
        length = count;
        bytes.putBytes(0, from.bytes, 0, count);
        return this;
    }

    public int length() {
        return length;
    }

    public long address() {
        return bytes.addressOffset();
    }

    /** The bytes put so far, as a buffer for LMDB; valid until the next change. */
    public DirectBuffer written() {
        written.wrap(bytes, 0, length);
        return written;
    }
}
