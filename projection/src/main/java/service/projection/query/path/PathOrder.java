package service.projection.query.path;

import java.util.Arrays;
import service.core.value.HeapBytes;
import service.core.value.ValueOrder;
import service.projection.query.vector.ExecutionBudget;

/** The order of paths of one length: by the ids of their nodes, then by those of their edges. */
final class PathOrder {
    private final ExecutionBudget budget;
    private final StepGraph graph;
    private final Labels labels;

    /** Whether labels lead from the beginning of the path to its end. */
    private final boolean along;

    private int[] left = new int[16];
    private int[] right = new int[16];

    PathOrder(ExecutionBudget budget, StepGraph graph, Labels labels, boolean along) {
        this.budget = budget;
        this.graph = graph;
        this.labels = labels;
        this.along = along;
    }

    /** Whether the way by a step from another parent, of the same hops, comes before that of the label. */
    boolean comesBefore(int parent, int edgeType, int edge, int label) {
        int apart = separate(parent, labels.parents[label]);
        int order = 0;
        for (int i = 0; i < apart && order == 0; i++) {
            int at = along ? apart - 1 - i : i;
            order = compare(graph.key(labels.nodes[left[at]]), graph.key(labels.nodes[right[at]]));
        }
        if (order != 0) {
            return order < 0;
        }
        long last = Path.entity(edgeType, edge);
        long known = Path.entity(labels.edgeTypes[label], labels.edges[label]);
        if (!along) {
            order = compare(last, known);
        }
        for (int i = 0; i < apart && order == 0; i++) {
            int at = along ? apart - 1 - i : i;
            order = compare(edge(left[at]), edge(right[at]));
        }
        if (along && order == 0) {
            order = compare(last, known);
        }
        return order < 0;
    }

    /** Whether a whole path comes before another one of the same length. */
    boolean comesBefore(Path one, Path other) {
        int order = 0;
        for (int i = 0; i < one.nodes().length && order == 0; i++) {
            order = compare(one.nodes()[i], other.nodes()[i]);
        }
        for (int i = 0; i < one.edges().length && order == 0; i++) {
            order = compare(one.edges()[i], other.edges()[i]);
        }
        return order < 0;
    }

    private long edge(int label) {
        return Path.entity(labels.edgeTypes[label], labels.edges[label]);
    }

    /** Finds the labels of two ways up to the last that they share, the later ones first. */
    private int separate(int one, int other) {
        int n = 0;
        int a = one;
        int b = other;
        while (a != b) {
            budget.step();
            if (n == left.length) {
                budget.charge(2 * HeapBytes.array(n, Integer.BYTES));
                left = Arrays.copyOf(left, 2 * n);
                right = Arrays.copyOf(right, 2 * n);
            }
            left[n] = a;
            right[n] = b;
            n++;
            a = labels.parents[a];
            b = labels.parents[b];
        }
        return n;
    }

    private int compare(long one, long other) {
        if (one == other) {
            return 0;
        }
        int byId = ValueOrder.compareText(
                budget.view.id((int) (one >>> 32), (int) one), budget.view.id((int) (other >>> 32), (int) other));
        return byId != 0 ? byId : Long.compare(one, other);
    }
}
