package service.log.lmdb;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A reusable key for LMDB, outside the heap. Numbers are big-endian: the order of bytes is the order of numbers. One
 * thread. LMDB copies a key when it is put, so the buffer may be changed after the call.
 */
public final class KeyBuffer {
    /** The greatest length of a key in LMDB. */
    public static final int KEY_BYTES_MAX = 511;

    private final UnsafeBuffer bytes = new UnsafeBuffer(ByteBuffer.allocateDirect(KEY_BYTES_MAX));
    private final UnsafeBuffer key = new UnsafeBuffer(0, 0);
    private int length;

    /** Starts a new key. */
    public KeyBuffer clear() {
        length = 0;
        return this;
    }

    /** Cuts the key back to its first bytes. */
    public KeyBuffer truncate(int newLength) {
        if (newLength > length) {
            throw new IllegalArgumentException(newLength + " of " + length);
        }
        length = newLength;
        return this;
    }

    public KeyBuffer putByte(int value) {
        bytes.putByte(length, (byte) value);
        length++;
        return this;
    }

    public KeyBuffer putInt(int value) {
        bytes.putInt(length, value, ByteOrder.BIG_ENDIAN);
        length += Integer.BYTES;
        return this;
    }

    public KeyBuffer putLong(long value) {
        bytes.putLong(length, value, ByteOrder.BIG_ENDIAN);
        length += Long.BYTES;
        return this;
    }

    public KeyBuffer putBytes(byte[] source) {
        bytes.putBytes(length, source);
        length += source.length;
        return this;
    }

    public KeyBuffer putBytes(byte[] source, int at, int count) {
        bytes.putBytes(length, source, at, count);
        length += count;
        return this;
    }

    public KeyBuffer putBytes(DirectBuffer source, int at, int count) {
        bytes.putBytes(length, source, at, count);
        length += count;
        return this;
    }

    /** Appends bytes at an address of this process, which must be readable. */
    public KeyBuffer putMemory(long address, int count) {
        if (length + count > KEY_BYTES_MAX) {
            throw new IllegalStateException("a key of " + (length + count) + " bytes: more than " + KEY_BYTES_MAX);
        }
        UnsafeApi.copyMemory(address, bytes.addressOffset() + length, count);
        length += count;
        return this;
    }

    /** Replaces this key by the first bytes of another. */
    public KeyBuffer copy(KeyBuffer from, int count) {
        length = count;
        bytes.putBytes(0, from.bytes, 0, count);
        return this;
    }

    public int length() {
        return length;
    }

    /** The address of the key in memory; the same for the life of the buffer. */
    public long address() {
        return bytes.addressOffset();
    }

    /** The key built so far; valid until the buffer changes. */
    public DirectBuffer key() {
        key.wrap(bytes, 0, length);
        return key;
    }
}
