package service.core.graph.schema;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import org.agrona.ExpandableArrayBuffer;
import service.core.budget.RequestBudget;
import service.core.value.KeyedHash;
import service.core.value.Sha256;
import service.core.value.TaggedValue;
import service.core.value.Value;

/**
 * Finds equal tuples of values among very many: an open-addressing table of 128 bits of SHA-256 for each tuple, so two
 * different tuples are taken for equal with a probability below 10^-20. 20 bytes a slot, at most two thirds of them
 * used.
 *
 * <p>Tuples are hashed after the random key of the process, so that no client can choose tuples that fall together.
 *
 * <p>A table has a bounded size. More tuples than it holds are read in several passes; each pass takes the tuples whose
 * digest falls to it. One thread.
 */
final class TupleDigests {
    private static final int SLOTS_MAX = 1 << 20;
    private static final int SLOTS_MIN = 1 << 10;
    private static final int BYTES_PER_SLOT = 2 * Long.BYTES + Integer.BYTES;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long[] high;
    private final long[] low;

    /** The number of each tuple, plus one; 0 is a free slot. */
    private final int[] numbers;

    private final MessageDigest sha256;
    private final ExpandableArrayBuffer tuple = new ExpandableArrayBuffer(256);
    private int tupleLength;

    /** The number of passes that the tuples need. */
    final int passes;

    private int pass;

    /** Slots in use. */
    private int used;

    /** @param count the number of tuples */
    TupleDigests(long count, RequestBudget budget) {
        this(count, SLOTS_MAX, budget);
    }

    /** @param slotsMax a power of two */
    TupleDigests(long count, int slotsMax, RequestBudget budget) {
        int slots = Math.min(SLOTS_MIN, slotsMax);
        while (slots < slotsMax && slots * 2L < count * 3) {
            slots *= 2;
        }
        budget.memory()
                .charge((long) BYTES_PER_SLOT * slots, "the check of unique values", "try again when less is running");
        // Digests fall to the passes evenly, but not exactly: a pass is planned to use half of the slots.
        this.passes = (int) Math.max(1, (count * 2 + slots - 1) / slots);
        this.high = new long[slots];
        this.low = new long[slots];
        this.numbers = new int[slots];
        this.sha256 = Sha256.begin();
    }

    /** Forgets the tuples and begins a pass, counted from 0. */
    void begin(int nextPass) {
        pass = nextPass;
        used = 0;
        java.util.Arrays.fill(numbers, 0);
    }

    /** Begins a tuple. */
    void start() {
        tuple.putLong(0, KeyedHash.PROCESS_KEY);
        tupleLength = Long.BYTES;
    }

    /** Adds a value to the tuple. */
    void add(Value value) {
        // 0.0 and −0.0 are one value to GQ and to the index.
        Value stored = value instanceof Value.Real real && real.value() == 0 ? new Value.Real(0.0) : value;
        int end = TaggedValue.put(tuple, tupleLength + Integer.BYTES, stored);
        tuple.putInt(tupleLength, end - tupleLength);
        tupleLength = end;
    }

    /**
     * Claims the tuple.
     *
     * @return the number that has claimed it before, or −1; −1 as well when it falls to another pass
     */
    int claim(int number) {
        sha256.update(tuple.byteArray(), 0, tupleLength);
        byte[] digest = sha256.digest();
        if (passes > 1 && Integer.remainderUnsigned((int) (long) LONGS.get(digest, 16), passes) != pass) {
            return -1;
        }
        long first = (long) LONGS.get(digest, 0);
        long second = (long) LONGS.get(digest, 8);
        int mask = numbers.length - 1;
        int slot = (int) second & mask;
        while (numbers[slot] != 0) {
            if (high[slot] == first && low[slot] == second) {
                return numbers[slot] - 1;
            }
            slot = (slot + 1) & mask;
        }
        if (++used == numbers.length) {
            throw new IllegalStateException("digests do not fall to the passes evenly");
        }
        high[slot] = first;
        low[slot] = second;
        numbers[slot] = number + 1;
        return -1;
    }
}
