package service.projection.query.vector;

import java.util.Arrays;

/** {@link BytesTable} for keys of 64 bits. */
public final class LongTable {
    private static final int INITIAL = 64;

    private final ExecutionBudget budget;
    private int[] slots = new int[INITIAL];
    private long[] keys = new long[INITIAL];
    private int size;

    public LongTable(ExecutionBudget budget) {
        this.budget = budget;
    }

    public int size() {
        return size;
    }

    public long key(int number) {
        return keys[number];
    }

    /** The number of a key, given on first sight. */
    public int add(long key) {
        int mask = slots.length - 1;
        int slot = hash(key) & mask;
        while (slots[slot] != 0) {
            int number = slots[slot] - 1;
            if (keys[number] == key) {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        int number = size++;
        slots[slot] = size;
        if (number == keys.length) {
            budget.charge(8L * number);
            keys = Arrays.copyOf(keys, number * 2);
        }
        keys[number] = key;
        if (size * 3L > slots.length * 2L) {
            rehash();
        }
        return number;
    }

    /** The number of a key, or −1. */
    public int find(long key) {
        int mask = slots.length - 1;
        for (int slot = hash(key) & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
            if (keys[slots[slot] - 1] == key) {
                return slots[slot] - 1;
            }
        }
        return -1;
    }

    /** Forgets all keys and keeps the room unless it has become large. */
    public void clear() {
        if (slots.length > 1 << 16) {
            budget.release(4L * slots.length + 8L * keys.length);
            slots = new int[INITIAL];
            keys = new long[INITIAL];
        } else if (size > 0) {
            Arrays.fill(slots, 0);
        }
        size = 0;
    }

    private void rehash() {
        budget.charge(4L * slots.length);
        int[] wider = new int[slots.length * 2];
        int mask = wider.length - 1;
        for (int number = 0; number < size; number++) {
            budget.step();
            int slot = hash(keys[number]) & mask;
            while (wider[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            wider[slot] = number + 1;
        }
        slots = wider;
    }

    private static int hash(long key) {
        long hash = key * 0x9E3779B97F4A7C15L;
        return (int) (hash ^ hash >>> 32);
    }
}
