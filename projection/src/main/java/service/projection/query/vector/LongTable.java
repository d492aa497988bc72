package service.projection.query.vector;

import java.util.Arrays;
import service.core.value.HeapBytes;
import service.core.value.KeyedHash;

/** {@link BytesTable} for keys of 64 bits. */
public final class LongTable {
    private static final int INITIAL = 64;

    /** Slots that {@link #clear} keeps at most. */
    private static final int KEPT = 1 << 16;

    private final ExecutionBudget budget;
    private final long hashKey;
    private int[] slots = new int[INITIAL];
    private int shift = KeyedHash.shift(INITIAL);
    private long[] keys = new long[INITIAL];
    private int size;

    public LongTable(ExecutionBudget budget) {
        this(budget, KeyedHash.PROCESS_KEY);
    }

    LongTable(ExecutionBudget budget, long hashKey) {
        this.budget = budget;
        this.hashKey = hashKey;
        budget.charge(bytes());
    }

    private long bytes() {
        return HeapBytes.array(slots.length, Integer.BYTES) + HeapBytes.array(keys.length, Long.BYTES);
    }

    /** Releases the memory that was charged for the table, which must not be used afterwards. */
    public void release() {
        budget.release(bytes());
    }

    public int size() {
        return size;
    }

    public long key(int number) {
        return keys[number];
    }

    /** Returns the number of a key and adds the key when it is new. */
    public int add(long key) {
        int mask = slots.length - 1;
        int slot = KeyedHash.hash(key, hashKey) >>> shift;
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
            int grown = HeapBytes.room(number + 1);
            budget.charge(HeapBytes.array(grown, Long.BYTES));
            keys = Arrays.copyOf(keys, grown);
            budget.release(HeapBytes.array(number, Long.BYTES));
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
        for (int slot = KeyedHash.hash(key, hashKey) >>> shift; slots[slot] != 0; slot = (slot + 1) & mask) {
            if (keys[slots[slot] - 1] == key) {
                return slots[slot] - 1;
            }
        }
        return -1;
    }

    /** Removes all keys. Keeps the arrays unless they are large. Costs no more than adding the keys did. */
    public void clear() {
        if (slots.length > KEPT) {
            long before = bytes();
            slots = new int[INITIAL];
            shift = KeyedHash.shift(INITIAL);
            keys = new long[INITIAL];
            budget.release(before - bytes());
        } else if (size < slots.length / 16) {
            clearOneByOne();
        } else {
            Arrays.fill(slots, 0);
        }
        size = 0;
    }

    /** Empties, for each key, the run of occupied slots that begins at the key's hash slot; the key is in that run. */
    private void clearOneByOne() {
        int mask = slots.length - 1;
        for (int number = 0; number < size; number++) {
            int slot = KeyedHash.hash(keys[number], hashKey) >>> shift;
            while (slots[slot] != 0) {
                slots[slot] = 0;
                slot = (slot + 1) & mask;
            }
        }
    }

    private void rehash() {
        int before = slots.length;
        budget.charge(HeapBytes.array(2L * before, Integer.BYTES));
        int[] wider = new int[before * 2];
        int mask = wider.length - 1;
        shift--;
        for (int number = 0; number < size; number++) {
            budget.step();
            int slot = KeyedHash.hash(keys[number], hashKey) >>> shift;
            while (wider[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            wider[slot] = number + 1;
        }
        slots = wider;
        budget.release(HeapBytes.array(before, Integer.BYTES));
    }
}
