package service.core.value;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * Hashes for tables that hold values of requests. Each process draws a random key at its start, so no client can
 * prepare values that collide. Hashes must not be stored or sent: another process computes other ones.
 *
 * <p>A random start value alone is not enough: with a fixed multiplier, some pairs of values collide from every start.
 * So the key is also the multiplier, and both halves of the 128-bit product are used, as in wyhash and foldhash. One
 * more multiplication makes every bit affect the upper bits. Without it, values in equal steps (ordinals, reals) are
 * spread unevenly under some keys, as a measurement of ten such series under 400 keys showed.
 *
 * <p><b>A table takes its slot from the upper bits</b> of a hash: {@code hash >>> shift(slots)}.
 */
public final class KeyedHash {
    /** The key of this process. */
    public static final long PROCESS_KEY = key(new SecureRandom().nextLong());

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private KeyedHash() {}

    /** Makes a key of any 64 bits. A key is odd, so that multiplying loses no bit of a value. */
    public static long key(long random) {
        return random | 1;
    }

    /** The shift that maps a hash to a slot of a table with so many slots: a power of two, at least 2. */
    public static int shift(int slots) {
        return Integer.numberOfLeadingZeros(slots) + 1;
    }

    /** The hash of a number. */
    public static int hash(long value, long key) {
        return finish(step(start(Long.BYTES, key), value, key), key);
    }

    /** The hash of bytes. */
    public static int hash(byte[] bytes, int offset, int length, long key) {
        long state = start(length, key);
        int end = offset + length;
        int at = offset;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            state = step(state, (long) LONGS.get(bytes, at), key);
        }
        if (at < end) {
            state = step(state, tail(bytes, offset, length), key);
        }
        return finish(state, key);
    }

    /** The last word: the bytes after the last whole word, and the ones before them if there are any. */
    private static long tail(byte[] bytes, int offset, int length) {
        int end = offset + length;
        if (length >= Long.BYTES) {
            return (long) LONGS.get(bytes, end - Long.BYTES);
        }
        if (length >= Integer.BYTES) {
            return ((long) (int) INTS.get(bytes, offset) << 32)
                    | ((int) INTS.get(bytes, end - Integer.BYTES) & 0xFFFFFFFFL);
        }
        return ((bytes[offset] & 0xFFL) << 16) | ((bytes[offset + length / 2] & 0xFFL) << 8) | (bytes[end - 1] & 0xFFL);
    }

    /** Begins the hash of bytes that are passed word by word: {@link #step} for each, then {@link #finish}. */
    public static long start(int length, long key) {
        return (key * GOLDEN_RATIO) ^ length;
    }

    /** The state after one more word. */
    public static long step(long state, long word, long key) {
        long mixed = state ^ word;
        return (mixed * key) ^ Math.unsignedMultiplyHigh(mixed, key);
    }

    /** The hash of all words. */
    public static int finish(long state, long key) {
        return (int) ((state * key) >>> 32);
    }
}
