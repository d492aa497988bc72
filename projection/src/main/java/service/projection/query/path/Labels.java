package service.projection.query.path;

import java.util.Arrays;
import service.core.value.HeapBytes;
import service.projection.query.vector.ExecutionBudget;

/**
 * The labels of a search, by number: each is a best way to a node, kept as its last step and the label before it. Label
 * 0 is the start. The labels of a node are linked by {@link #next}, from {@link #first} on.
 */
final class Labels {
    static final int NONE = -1;

    private final ExecutionBudget budget;
    int[] nodes = {};
    int[] hops = {};
    int[] parents = {};
    int[] edgeTypes = {};
    int[] edges = {};

    /** The cost of the way, or of its last step alone when ways are compared by their hops. */
    double[] costs = {};

    /** The next label of the same node. */
    int[] next = {};

    int size;

    private int[] firsts = {};
    private int known;

    Labels(ExecutionBudget budget) {
        this.budget = budget;
    }

    void clear() {
        size = 0;
        known = 0;
    }

    int add(int node, int hop, double cost) {
        if (size == nodes.length) {
            grow();
        }
        nodes[size] = node;
        hops[size] = hop;
        costs[size] = cost;
        parents[size] = NONE;
        next[size] = NONE;
        return size++;
    }

    void lead(int label, int parent, int edgeType, int edge) {
        parents[label] = parent;
        edgeTypes[label] = edgeType;
        edges[label] = edge;
    }

    /** The first label of a node, or {@link #NONE}. */
    int first(int node) {
        return node < known ? firsts[node] : NONE;
    }

    /** Puts a label before the others of its node. */
    void list(int node, int label) {
        firsts = budget.withRoom(firsts, node);
        while (known <= node) {
            firsts[known++] = NONE;
        }
        next[label] = firsts[node];
        firsts[node] = label;
    }

    private void grow() {
        int room = HeapBytes.room(size + 1);
        budget.charge(bytes(room));
        nodes = Arrays.copyOf(nodes, room);
        hops = Arrays.copyOf(hops, room);
        parents = Arrays.copyOf(parents, room);
        edgeTypes = Arrays.copyOf(edgeTypes, room);
        edges = Arrays.copyOf(edges, room);
        costs = Arrays.copyOf(costs, room);
        next = Arrays.copyOf(next, room);
        budget.release(bytes(size));
    }

    private static long bytes(int room) {
        return 6 * HeapBytes.array(room, Integer.BYTES) + HeapBytes.array(room, Double.BYTES);
    }
}
