package service.projection.query.path;

import java.util.Arrays;
import service.core.value.HeapBytes;
import service.projection.query.vector.ExecutionBudget;

/** The last steps of all ways to each label of a search: a list for each label. */
final class Ways {
    private static final int NONE = Labels.NONE;

    private final ExecutionBudget budget;
    int[] next = {};
    int[] parents = {};
    long[] edges = {};
    double[] costs = {};
    private int[] firsts = {};
    private int size;

    Ways(ExecutionBudget budget) {
        this.budget = budget;
    }

    void clear() {
        size = 0;
    }

    /** Begins the list of a label. */
    void begin(int label) {
        firsts = budget.withRoom(firsts, label);
        firsts[label] = NONE;
    }

    /** The first step of the list of a label, or −1. */
    int first(int label) {
        return firsts[label];
    }

    void add(int label, int parent, long edge, double cost) {
        if (size == parents.length) {
            int room = HeapBytes.room(size + 1);
            budget.charge(bytes(room));
            budget.release(bytes(size));
            next = Arrays.copyOf(next, room);
            parents = Arrays.copyOf(parents, room);
            edges = Arrays.copyOf(edges, room);
            costs = Arrays.copyOf(costs, room);
        }
        next[size] = firsts[label];
        parents[size] = parent;
        edges[size] = edge;
        costs[size] = cost;
        firsts[label] = size++;
    }

    private static long bytes(int room) {
        return 2 * HeapBytes.array(room, Integer.BYTES) + 2 * HeapBytes.array(room, Long.BYTES);
    }
}
