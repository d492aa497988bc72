package service.projection.query.vector;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Byte strings numbered in the order of their first appearance: an open-addressing hash table with linear probing, the
 * keys back to back in one array. At most two thirds full.
 */
public final class BytesTable {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int INITIAL = 64;

    private final ExecutionBudget budget;
    private int[] slots = new int[INITIAL];
    private int[] hashes = new int[INITIAL];
    private int[] ends = new int[INITIAL];
    private byte[] keys = new byte[INITIAL * 16];
    private int size;

    public BytesTable(ExecutionBudget budget) {
        this.budget = budget;
    }

    public int size() {
        return size;
    }

    byte[] keys() {
        return keys;
    }

    int start(int number) {
        return number == 0 ? 0 : ends[number - 1];
    }

    int end(int number) {
        return ends[number];
    }

    /** The number of a key, or −1. */
    public int find(byte[] bytes, int offset, int length) {
        int hash = hash(bytes, offset, length);
        int mask = slots.length - 1;
        int slot = hash & mask;
        while (slots[slot] != 0) {
            int number = slots[slot] - 1;
            if (hashes[number] == hash && same(number, bytes, offset, length)) {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        return -1;
    }

    /** The number of a key, given on first sight: it was new when that is the old {@link #size}. */
    public int add(byte[] bytes, int offset, int length) {
        int hash = hash(bytes, offset, length);
        int mask = slots.length - 1;
        int slot = hash & mask;
        while (slots[slot] != 0) {
            int number = slots[slot] - 1;
            if (hashes[number] == hash && same(number, bytes, offset, length)) {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        int number = size++;
        slots[slot] = size;
        store(number, hash, bytes, offset, length);
        if (size * 3L > slots.length * 2L) {
            rehash();
        }
        return number;
    }

    private boolean same(int number, byte[] bytes, int offset, int length) {
        int start = start(number);
        return Arrays.equals(keys, start, ends[number], bytes, offset, offset + length);
    }

    private void store(int number, int hash, byte[] bytes, int offset, int length) {
        if (number == hashes.length) {
            budget.charge(8L * number);
            hashes = Arrays.copyOf(hashes, number * 2);
            ends = Arrays.copyOf(ends, number * 2);
        }
        int start = start(number);
        if (keys.length - start < length) {
            int grown = (int) Math.min(Integer.MAX_VALUE - 8, Math.max(2L * keys.length, (long) start + length));
            budget.charge((long) grown - keys.length);
            keys = Arrays.copyOf(keys, grown);
        }
        System.arraycopy(bytes, offset, keys, start, length);
        hashes[number] = hash;
        ends[number] = start + length;
    }

    private void rehash() {
        budget.charge(4L * slots.length);
        int[] wider = new int[slots.length * 2];
        int mask = wider.length - 1;
        for (int number = 0; number < size; number++) {
            budget.step();
            int slot = hashes[number] & mask;
            while (wider[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            wider[slot] = number + 1;
        }
        slots = wider;
    }

    private static int hash(byte[] bytes, int offset, int length) {
        long hash = length * 0x9E3779B97F4A7C15L;
        int end = offset + length;
        int at = offset;
        for (; at + 8 <= end; at += 8) {
            hash = (hash ^ (long) LONGS.get(bytes, at)) * 0xFF51AFD7ED558CCDL;
            hash ^= hash >>> 32;
        }
        for (; at < end; at++) {
            hash = (hash ^ bytes[at]) * 0xC4CEB9FE1A85EC53L;
        }
        hash ^= hash >>> 33;
        hash *= 0xC2B2AE3D27D4EB4FL;
        return (int) (hash ^ hash >>> 29);
    }
}
