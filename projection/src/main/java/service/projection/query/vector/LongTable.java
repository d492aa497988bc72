package service.projection.query.vector;

import java.util.Arrays;
import service.core.value.HeapBytes;
import service.core.value.KeyedHash;

/**
 * {@link BytesTable} for keys of 64 bits. While keys come in ascending order, as those of a scan do, there is no hash
 * table: adding one is a comparison, and the few that are looked for are found by halves.
 */
public final class LongTable {
    private static final int INITIAL = 64;

    /** Slots or keys that {@link #clear} keeps at most. */
    private static final int KEPT = 1 << 16;

    private static final int[] NONE = {};

    /** Tables of fewer slots stay in the caches of the processor. */
    private static final int SLOTS_FAR = 1 << 13;

    /** So much smaller than the number of keys is the number of searches by halves before a table is worth making. */
    private static final int SEARCHED_PART = 16;

    private final ExecutionBudget budget;
    private final long hashKey;

    /** Whether the keys are in the slots; not while they ascend. */
    private boolean hashed;

    /** All free while the keys are in none. */
    private int[] slots = NONE;

    private int shift;
    private int searched;
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
        if (!hashed) {
            if (size == 0 || key > keys[size - 1]) {
                return append(key);
            }
            if (key == keys[size - 1]) {
                return size - 1;
            }
            hash();
        }
        int mask = slots.length - 1;
        int slot = KeyedHash.hash(key, hashKey) >>> shift;
        while (slots[slot] != 0) {
            int number = slots[slot] - 1;
            if (keys[number] == key) {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        int number = append(key);
        slots[slot] = size;
        if (size * 3L > slots.length * 2L) {
            makeSlots(2 * slots.length);
        }
        return number;
    }

    /**
     * Adds keys in their order. {@link #add} waits for memory at each key of a large table. So this reads the first
     * slots of all keys before, in a loop without branches that depend on them: then the processor waits for many at a
     * time. Keys that are there already are numbered with it.
     *
     * @param into receives the number of each key
     */
    public void addAll(long[] added, int count, int[] into) {
        boolean isFar = hashed && slots.length >= SLOTS_FAR;
        if (isFar) {
            for (int i = 0; i < count; i++) {
                into[i] = slots[KeyedHash.hash(added[i], hashKey) >>> shift];
            }
            for (int i = 0; i < count; i++) {
                into[i] = keys[Math.max(0, into[i] - 1)] == added[i] ? into[i] : 0;
            }
        }
        for (int i = 0; i < count; i++) {
            into[i] = isFar && into[i] > 0 ? into[i] - 1 : add(added[i]);
        }
    }

    private int append(long key) {
        int number = size++;
        if (number == keys.length) {
            int grown = HeapBytes.room(number + 1);
            budget.charge(HeapBytes.array(grown, Long.BYTES));
            keys = Arrays.copyOf(keys, grown);
            budget.release(HeapBytes.array(number, Long.BYTES));
        }
        keys[number] = key;
        return number;
    }

    /** The number of a key, or −1. */
    public int find(long key) {
        if (!hashed) {
            if (searched < size / SEARCHED_PART) {
                searched++;
                return Math.max(-1, Arrays.binarySearch(keys, 0, size, key));
            }
            hash();
        }
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
        if (Math.max(slots.length, keys.length) > KEPT) {
            long before = bytes();
            slots = NONE;
            keys = new long[INITIAL];
            budget.release(before - bytes());
        } else if (hashed && size < slots.length / 16) {
            clearOneByOne();
        } else if (hashed) {
            Arrays.fill(slots, 0);
        }
        hashed = false;
        size = 0;
        searched = 0;
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

    /** A length of which so many keys take two thirds at most. */
    private static int slotsFor(int keys) {
        int length = INITIAL;
        while (keys * 3L > length * 2L) {
            length *= 2;
        }
        return length;
    }

    /** Puts the keys into slots, with room for one more. */
    private void hash() {
        hashed = true;
        int length = slotsFor(size + 1);
        if (slots.length < length) {
            makeSlots(length);
        } else {
            fill(slots);
        }
    }

    private void makeSlots(int length) {
        budget.charge(HeapBytes.array(length, Integer.BYTES));
        int[] wider = new int[length];
        shift = KeyedHash.shift(length);
        fill(wider);
        budget.release(HeapBytes.array(slots.length, Integer.BYTES));
        slots = wider;
    }

    private void fill(int[] free) {
        int mask = free.length - 1;
        for (int number = 0; number < size; number++) {
            budget.step();
            int slot = KeyedHash.hash(keys[number], hashKey) >>> shift;
            while (free[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            free[slot] = number + 1;
        }
    }
}
