package service.projection.query.vector;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.value.HeapBytes;
import service.core.value.KeyedHash;

/**
 * A set of ordinals of one type, numbered in the order in which they were added. The set is an open-addressing hash
 * table with linear probing, at most two thirds full, while that is smaller than a bitmap of all ordinals of the type,
 * and the bitmap afterwards. So the memory is proportional to the members, and besides the list of members at most one
 * bit for each ordinal of the type. A bitmap alone would take megabytes for a search of ten nodes of a type with a
 * hundred million ordinals.
 */
public final class OrdinalSet {
    private static final int FREE = -1;
    private static final int INITIAL = 64;

    private final ExecutionBudget budget;
    private final int type;
    private int[] members = new int[INITIAL];
    private int size;
    private int[] slots = free(INITIAL);
    private int shift = KeyedHash.shift(INITIAL);

    /** The bitmap; replaces the slots when they would be larger. */
    private long @Nullable [] bits;

    /** A set of ordinals of a type in the budget's view. */
    public OrdinalSet(ExecutionBudget budget, int type) {
        this.budget = budget;
        this.type = type;
        budget.charge(2 * HeapBytes.array(INITIAL, Integer.BYTES));
    }

    public int size() {
        return size;
    }

    /** The ordinal of a number. */
    public int get(int number) {
        return members[number];
    }

    /** Adds an ordinal; false when the set holds it already. */
    public boolean add(int ordinal) {
        if (bits == null ? !addHashed(ordinal) : !addBit(bits, ordinal)) {
            return false;
        }
        if (size == members.length) {
            int grown = HeapBytes.room(size + 1);
            budget.charge(HeapBytes.array(grown, Integer.BYTES));
            members = Arrays.copyOf(members, grown);
            budget.release(HeapBytes.array(size, Integer.BYTES));
        }
        members[size++] = ordinal;
        if (bits == null && size * 3L > slots.length * 2L) {
            grow();
        }
        return true;
    }

    private static boolean addBit(long[] bits, int ordinal) {
        long word = bits[ordinal >>> 6];
        long bit = 1L << ordinal;
        bits[ordinal >>> 6] = word | bit;
        return (word & bit) == 0;
    }

    private boolean addHashed(int ordinal) {
        int mask = slots.length - 1;
        int slot = slotOf(ordinal);
        while (slots[slot] != FREE) {
            if (slots[slot] == ordinal) {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        slots[slot] = ordinal;
        return true;
    }

    private int slotOf(int ordinal) {
        return KeyedHash.hash(ordinal, KeyedHash.PROCESS_KEY) >>> shift;
    }

    private static int[] free(int count) {
        int[] slots = new int[count];
        Arrays.fill(slots, FREE);
        return slots;
    }

    private void grow() {
        long slotBytes = HeapBytes.array(slots.length, Integer.BYTES);
        int words = (budget.view.ordinalBound(type) >>> 6) + 1;
        if ((long) Long.BYTES * words <= 2 * slotBytes) {
            budget.charge(HeapBytes.array(words, Long.BYTES));
            long[] all = new long[words];
            for (int i = 0; i < size; i++) {
                budget.step();
                addBit(all, members[i]);
            }
            bits = all;
            slots = new int[0];
        } else {
            budget.charge(HeapBytes.array(2L * slots.length, Integer.BYTES));
            slots = free(2 * slots.length);
            shift--;
            for (int i = 0; i < size; i++) {
                budget.step();
                addHashed(members[i]);
            }
        }
        budget.release(slotBytes);
    }

    /** Removes all members and keeps the arrays. Costs no more than adding the members did. */
    public void clear() {
        if (bits != null) {
            for (int i = 0; i < size; i++) {
                budget.step();
                bits[members[i] >>> 6] = 0;
            }
        } else if (size >= slots.length / 16) {
            Arrays.fill(slots, FREE);
        } else {
            clearOneByOne();
        }
        size = 0;
    }

    /** Empties, for each member, the run of occupied slots that begins at its hash slot; the member is in that run. */
    private void clearOneByOne() {
        int mask = slots.length - 1;
        for (int i = 0; i < size; i++) {
            budget.step();
            for (int slot = slotOf(members[i]); slots[slot] != FREE; slot = (slot + 1) & mask) {
                slots[slot] = FREE;
            }
        }
    }
}
