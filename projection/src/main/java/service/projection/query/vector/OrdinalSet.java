package service.projection.query.vector;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.value.KeyedHash;

/**
 * Ordinals of one type, each once, numbered in the order in which they came. They are looked up in an open-addressing
 * table with linear probing, at most two thirds full, as long as that is smaller than a bitmap of all ordinals ever
 * given; from then on in the bitmap. So a set costs what is put into it, and beside its members never more than a bit
 * for each ordinal of the type. A bitmap alone would take megabytes for a search of ten nodes of a type of which a
 * hundred million were ever made.
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

    /** Takes the place of the slots. */
    private long @Nullable [] bits;

    /** A set of ordinals of a type in the budget's view. */
    public OrdinalSet(ExecutionBudget budget, int type) {
        this.budget = budget;
        this.type = type;
    }

    public int size() {
        return size;
    }

    /** The ordinal of a number. */
    public int get(int number) {
        return members[number];
    }

    /** Puts an ordinal in; false when it was there. */
    public boolean add(int ordinal) {
        if (bits == null ? !addHashed(ordinal) : !addBit(bits, ordinal)) {
            return false;
        }
        if (size == members.length) {
            budget.charge((long) Integer.BYTES * size);
            members = Arrays.copyOf(members, 2 * size);
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
        long slotBytes = (long) Integer.BYTES * slots.length;
        int words = (budget.view.ordinalBound(type) >>> 6) + 1;
        if ((long) Long.BYTES * words <= 2 * slotBytes) {
            budget.charge((long) Long.BYTES * words - slotBytes);
            long[] all = new long[words];
            for (int i = 0; i < size; i++) {
                budget.step();
                addBit(all, members[i]);
            }
            bits = all;
            slots = new int[0];
        } else {
            budget.charge(slotBytes);
            slots = free(2 * slots.length);
            shift--;
            for (int i = 0; i < size; i++) {
                budget.step();
                addHashed(members[i]);
            }
        }
    }

    /** Takes everything out and keeps the room; costs no more than putting it in did. */
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

    /** Empties every run of taken slots that a member's own slot leads into: each member lies in the run from there. */
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
