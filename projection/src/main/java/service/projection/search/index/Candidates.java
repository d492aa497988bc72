package service.projection.search.index;

import java.util.Arrays;
import java.util.function.IntPredicate;
import service.core.port.TextIndex;
import service.core.value.HeapBytes;

/**
 * Collects the entities that can be among the best: those whose score is at most a little below that of the last wanted
 * one, because the scores are rounded. One thread.
 */
final class Candidates {
    /** More than single precision loses, for a sum of 64 terms. */
    private static final double MARGIN = 1e-5;

    private static final int FIRST = 1_024;

    private final int most;
    private final IntPredicate among;
    private final float[] heap;
    private int heapSize;
    private final TextIndex.Payer payer;
    private int[] ordinals;
    private float[] scores;
    private int size;
    private int compactAt = 4 * FIRST;
    private float least;

    /**
     * Makes an empty collection.
     *
     * @param most how many are wanted, positive
     * @param among the ordinals that are ranked
     * @param payer is charged for the memory, and gives it back
     */
    Candidates(int most, IntPredicate among, TextIndex.Payer payer) {
        this.most = most;
        this.among = among;
        this.payer = payer;
        payer.charge(HeapBytes.array(most, Float.BYTES) + bytes(FIRST));
        this.heap = new float[most];
        this.ordinals = new int[FIRST];
        this.scores = new float[FIRST];
    }

    private static long bytes(int room) {
        return HeapBytes.array(room, Integer.BYTES) + HeapBytes.array(room, Float.BYTES);
    }

    /** A lower score does not count; 0 at first. */
    float least() {
        return least;
    }

    /** Takes an entity; returns whether {@link #least} has risen. */
    boolean add(int ordinal, float score) {
        if (score < least || !among.test(ordinal)) {
            return false;
        }
        if (size == ordinals.length) {
            // The old and the new arrays exist at once.
            payer.charge(bytes(2 * size));
            ordinals = Arrays.copyOf(ordinals, 2 * size);
            scores = Arrays.copyOf(scores, 2 * size);
            payer.release(bytes(size));
        }
        ordinals[size] = ordinal;
        scores[size++] = score;
        boolean rose = rank(score);
        if (size >= compactAt) {
            compact();
            compactAt = Math.max(4 * FIRST, 2 * size);
        }
        return rose;
    }

    private boolean rank(float score) {
        if (heapSize < most) {
            int at = heapSize++;
            for (int parent = (at - 1) / 2; at > 0 && heap[parent] > score; parent = (at - 1) / 2) {
                heap[at] = heap[parent];
                at = parent;
            }
            heap[at] = score;
            return heapSize == most && raise();
        }
        if (score <= heap[0]) {
            return false;
        }
        int at = 0;
        for (int child = 1; child < most; child = 2 * at + 1) {
            child = child + 1 < most && heap[child + 1] < heap[child] ? child + 1 : child;
            if (heap[child] >= score) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = score;
        return raise();
    }

    private boolean raise() {
        float before = least;
        least = Math.max(0, Math.nextDown((float) (heap[0] * (1 - MARGIN))));
        return least > before;
    }

    private void compact() {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (scores[i] >= least) {
                ordinals[kept] = ordinals[i];
                scores[kept++] = scores[i];
            }
        }
        size = kept;
    }

    /** The candidates, ascending. */
    int[] ordinals() {
        compact();
        payer.charge(HeapBytes.array(size, Integer.BYTES));
        int[] all = Arrays.copyOf(ordinals, size);
        Arrays.sort(all);
        return all;
    }
}
