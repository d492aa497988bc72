package service.log.lmdb;

import org.agrona.UnsafeApi;

/**
 * Reads bytes at addresses in pages that LMDB has mapped, or in off-heap memory of this module. Does not check bounds.
 * An address is valid until its transaction ends or writes.
 */
public final class MappedBytes {
    private MappedBytes() {}

    public static byte byteAt(long address) {
        return UnsafeApi.getByte(address);
    }

    /** Little-endian, as rows are. */
    public static int intAt(long address) {
        return UnsafeApi.getInt(address);
    }

    /** Little-endian, as rows are. */
    public static long longAt(long address) {
        return UnsafeApi.getLong(address);
    }

    /** Big-endian, as keys are. */
    public static int keyIntAt(long address) {
        return Integer.reverseBytes(UnsafeApi.getInt(address));
    }

    /** Big-endian, as keys are. */
    public static long keyLongAt(long address) {
        return Long.reverseBytes(UnsafeApi.getLong(address));
    }

    public static boolean same(long a, long b, int length) {
        int i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES) {
            if (UnsafeApi.getLong(a + i) != UnsafeApi.getLong(b + i)) {
                return false;
            }
        }
        for (; i < length; i++) {
            if (UnsafeApi.getByte(a + i) != UnsafeApi.getByte(b + i)) {
                return false;
            }
        }
        return true;
    }

    /** Compares unsigned bytes; a prefix is less. The order of keys in LMDB. */
    public static int compare(long a, int aLength, long b, int bLength) {
        int length = Math.min(aLength, bLength);
        int i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES) {
            long x = UnsafeApi.getLong(a + i);
            long y = UnsafeApi.getLong(b + i);
            if (x != y) {
                return Long.compareUnsigned(Long.reverseBytes(x), Long.reverseBytes(y));
            }
        }
        for (; i < length; i++) {
            int difference = (UnsafeApi.getByte(a + i) & 0xFF) - (UnsafeApi.getByte(b + i) & 0xFF);
            if (difference != 0) {
                return difference;
            }
        }
        return aLength - bLength;
    }

    /** Fills an array with floats, which are little-endian as rows are. */
    public static void copyFloats(long address, float[] into) {
        UnsafeApi.copyMemory(
                null, address, into, UnsafeApi.arrayBaseOffset(float[].class), (long) Float.BYTES * into.length);
    }

    public static byte[] copy(long address, int length) {
        byte[] bytes = new byte[length];
        UnsafeApi.copyMemory(null, address, bytes, UnsafeApi.arrayBaseOffset(byte[].class), length);
        return bytes;
    }
}
