package service.projection.query.vector;

import java.util.Arrays;
import service.core.value.HeapBytes;

/** A growing list of ordinals. One thread. */
public final class Ordinals {
    private static final int INITIAL = 16;

    private final ExecutionBudget budget;
    private int[] ordinals = new int[INITIAL];
    private int size;

    /** An empty list, which is charged to an execution. */
    public Ordinals(ExecutionBudget budget) {
        this.budget = budget;
        budget.charge(bytes(INITIAL));
    }

    private static long bytes(int length) {
        return HeapBytes.array(length, Integer.BYTES);
    }

    public int size() {
        return size;
    }

    /** Appends the first ordinals of an array. */
    public void add(int[] from, int count) {
        if (ordinals.length - size < count) {
            int grown = HeapBytes.room(size + count);
            budget.charge(bytes(grown));
            int before = ordinals.length;
            ordinals = Arrays.copyOf(ordinals, grown);
            budget.release(bytes(before));
        }
        System.arraycopy(from, 0, ordinals, size, count);
        size += count;
    }

    /** The ordinals in an array of their number, which takes the place of the list. */
    public int[] toArray() {
        budget.charge(bytes(size));
        int[] exact = Arrays.copyOf(ordinals, size);
        budget.release(bytes(ordinals.length));
        ordinals = exact;
        return exact;
    }
}
