package service.projection.query.path;

import java.util.Arrays;
import service.core.value.HeapBytes;
import service.projection.query.vector.ExecutionBudget;

/** A queue of labels by cost, then by hops. It holds what it was given: a label that has changed is given again. */
final class LabelHeap {
    private static final int CHILDREN = 4;

    private final ExecutionBudget budget;
    private double[] costs = {};
    private int[] hops = {};
    private int[] labels = {};
    private int size;

    LabelHeap(ExecutionBudget budget) {
        this.budget = budget;
    }

    void clear() {
        size = 0;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The cost of the first entry. */
    double cost() {
        return costs[0];
    }

    /** The hops of the first entry. */
    int hops() {
        return hops[0];
    }

    /** The label of an entry: the first ones are among the next, in no order but for entry 0. */
    int label(int entry) {
        return labels[entry];
    }

    void add(double cost, int hop, int label) {
        if (size == labels.length) {
            grow();
        }
        int at = size++;
        while (at > 0) {
            int parent = (at - 1) / CHILDREN;
            if (!isBefore(cost, hop, parent)) {
                break;
            }
            move(parent, at);
            at = parent;
        }
        set(at, cost, hop, label);
    }

    /** Removes the first entry. */
    void remove() {
        size--;
        double cost = costs[size];
        int hop = hops[size];
        int label = labels[size];
        int at = 0;
        while (true) {
            int first = CHILDREN * at + 1;
            if (first >= size) {
                break;
            }
            int least = first;
            int end = Math.min(first + CHILDREN, size);
            for (int child = first + 1; child < end; child++) {
                if (isBefore(costs[child], hops[child], least)) {
                    least = child;
                }
            }
            if (!isBefore(costs[least], hops[least], cost, hop)) {
                break;
            }
            move(least, at);
            at = least;
        }
        set(at, cost, hop, label);
    }

    private boolean isBefore(double cost, int hop, int entry) {
        return isBefore(cost, hop, costs[entry], hops[entry]);
    }

    private static boolean isBefore(double cost, int hop, double otherCost, int otherHop) {
        return cost < otherCost || (cost == otherCost && hop < otherHop);
    }

    private void move(int from, int to) {
        set(to, costs[from], hops[from], labels[from]);
    }

    private void set(int at, double cost, int hop, int label) {
        costs[at] = cost;
        hops[at] = hop;
        labels[at] = label;
    }

    private void grow() {
        int room = HeapBytes.room(size + 1);
        budget.charge(bytes(room));
        costs = Arrays.copyOf(costs, room);
        hops = Arrays.copyOf(hops, room);
        labels = Arrays.copyOf(labels, room);
        budget.release(bytes(size));
    }

    private static long bytes(int room) {
        return HeapBytes.array(room, Double.BYTES) + 2 * HeapBytes.array(room, Integer.BYTES);
    }
}
