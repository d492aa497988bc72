package service.projection.query.vector;

import java.util.Arrays;
import service.core.value.HeapBytes;
import service.core.value.KeyedHash;

/**
 * Numbers byte strings in the order of their first appearance. An open-addressing hash table with linear probing, at
 * most two thirds full; one array holds the keys back to back.
 */
public final class BytesTable {
    private static final int INITIAL = 64;
    private static final int INITIAL_KEY_BYTES = 16 * INITIAL;

    private final ExecutionBudget budget;
    private final long hashKey;
    private int[] slots = new int[INITIAL];
    private int shift = KeyedHash.shift(INITIAL);
    private int[] hashes = new int[INITIAL];
    private int[] ends = new int[INITIAL];
    private byte[] keys = new byte[INITIAL_KEY_BYTES];
    private int size;

    public BytesTable(ExecutionBudget budget) {
        this(budget, KeyedHash.PROCESS_KEY);
    }

    BytesTable(ExecutionBudget budget, long hashKey) {
        this.budget = budget;
        this.hashKey = hashKey;
        budget.charge(bytes());
    }

    private long bytes() {
        return HeapBytes.array(slots.length, Integer.BYTES)
                + 2 * HeapBytes.array(hashes.length, Integer.BYTES)
                + HeapBytes.array(keys.length, 1);
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

    /** Releases the memory that was charged for the table, which must not be used afterwards. */
    public void release() {
        budget.release(bytes());
    }

    /** The number of a key, or −1. */
    public int find(byte[] bytes, int offset, int length) {
        int hash = KeyedHash.hash(bytes, offset, length, hashKey);
        int mask = slots.length - 1;
        int slot = hash >>> shift;
        while (slots[slot] != 0) {
            int number = slots[slot] - 1;
            if (hashes[number] == hash && same(number, bytes, offset, length)) {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        return -1;
    }

    /** Returns the number of a key and adds the key when it is new: then the number is the previous {@link #size}. */
    public int add(byte[] bytes, int offset, int length) {
        int hash = KeyedHash.hash(bytes, offset, length, hashKey);
        int mask = slots.length - 1;
        int slot = hash >>> shift;
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
            int grown = HeapBytes.room(number + 1);
            budget.charge(2 * HeapBytes.array(grown, Integer.BYTES));
            hashes = Arrays.copyOf(hashes, grown);
            ends = Arrays.copyOf(ends, grown);
            budget.release(2 * HeapBytes.array(number, Integer.BYTES));
        }
        int start = start(number);
        if (keys.length - start < length) {
            int grown = HeapBytes.room(Math.addExact(start, length));
            int before = keys.length;
            budget.charge(HeapBytes.array(grown, 1));
            keys = Arrays.copyOf(keys, grown);
            budget.release(HeapBytes.array(before, 1));
        }
        System.arraycopy(bytes, offset, keys, start, length);
        hashes[number] = hash;
        ends[number] = start + length;
    }

    private void rehash() {
        int before = slots.length;
        budget.charge(HeapBytes.array(2L * before, Integer.BYTES));
        int[] wider = new int[before * 2];
        int mask = wider.length - 1;
        shift--;
        for (int number = 0; number < size; number++) {
            budget.step();
            int slot = hashes[number] >>> shift;
            while (wider[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            wider[slot] = number + 1;
        }
        slots = wider;
        budget.release(HeapBytes.array(before, Integer.BYTES));
    }
}
