package service.projection.query.path;

import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.projection.query.vector.ExecutionBudget;

/**
 * A search for the best ways from one node: by their number of hops (breadth first), or by cost and then hops
 * (Dijkstra). Of ways that are equally good it keeps the one that {@link PathOrder} puts first, or all.
 *
 * <p><b>Invariant.</b> A label that has been settled does not change: all ways that are as good as it were found from
 * labels that come before it. So the ways of two candidates can be compared when they are found.
 *
 * <p>With a limit of hops, the cheapest way to a node may be too long to go on from. A {@code limited} search by cost
 * keeps a label for each number of hops at which a way becomes cheaper.
 */
final class LabelSearch {
    private static final int NONE = Labels.NONE;

    /** Nodes that a search by cost reads together: the next ones in its queue. */
    private static final int AHEAD = 16;

    final StepGraph graph;
    final Labels labels;
    private final ExecutionBudget budget;
    private final Kind kind;
    private final LabelHeap heap;
    private final PathOrder order;
    private int maxHops;

    /** Whether a label for each number of hops is kept. */
    private boolean limited;

    /** The next label to settle of a search by hops. */
    private int turn;

    /** The labels of ways that come back to the start. */
    private int closing;

    private long forbidden;
    private int counted;
    private @Nullable Pruning pruning;
    private @Nullable LabelSearch other;

    /** The cost, or the hops, of the best way that meets a way of the other search. */
    private double met;

    /** The last steps of all ways to each label; empty unless all are wanted. */
    final Ways ways;

    /**
     * What a search finds.
     *
     * @param byCost else by hops
     * @param along whether it walks in the direction of the path
     * @param all whether it keeps all ways of the fewest hops
     * @param priced whether steps have costs before the search is over; else {@link LatePrices} finds them
     */
    record Kind(boolean byCost, boolean along, boolean all, boolean priced) {}

    /** Says which ways lead nowhere. */
    interface Pruning {
        boolean isUseless(int node, double cost, int hops);
    }

    LabelSearch(ExecutionBudget budget, StepGraph graph, Kind kind) {
        this.budget = budget;
        this.graph = graph;
        this.kind = kind;
        this.labels = new Labels(budget);
        this.heap = new LabelHeap(budget);
        this.order = new PathOrder(budget, graph, labels, kind.along);
        this.ways = new Ways(budget);
    }

    /** Whether it keeps all ways of the fewest hops. */
    boolean keepsAll() {
        return kind.all;
    }

    PathOrder order() {
        return order;
    }

    /**
     * Begins a search.
     *
     * @param isLimited whether a search by cost keeps a label for each number of hops; else it follows ways of any
     *     length
     */
    void begin(int start, int most, boolean isLimited) {
        labels.clear();
        heap.clear();
        ways.clear();
        maxHops = most;
        limited = isLimited;
        turn = 0;
        closing = NONE;
        forbidden = -1;
        counted = 0;
        pruning = null;
        other = null;
        met = Double.POSITIVE_INFINITY;
        labels.list(start, labels.add(start, 0, 0));
        if (kind.all) {
            ways.begin(0);
        }
        if (kind.byCost) {
            heap.add(0, 0, 0);
        }
    }

    /** Begins a search for the ways back to the start whose first step is given; its edge is not walked again. */
    void beginCycle(int start, StepGraph.Steps steps, int step, int most, boolean isLimited) {
        begin(start, most, isLimited);
        heap.clear();
        turn = 1;
        forbidden = Path.entity(steps.edgeTypes[step], steps.edges[step]);
        offer(0, steps, step, cost(steps, step), 1);
    }

    /** Follows no way of the search that has begun that leads nowhere. */
    void prune(Pruning by) {
        pruning = by;
    }

    /** Takes note of the ways that meet those of another search, which comes from the end of the path. */
    void meet(LabelSearch from) {
        other = from;
    }

    double met() {
        return met;
    }

    /** The label of the best way back to the start, or −1. */
    int bestClosing() {
        int best = closing;
        for (int label = best; label != NONE; label = labels.next[label]) {
            best = isBefore(label, best) ? label : best;
        }
        return best;
    }

    /** The label of a node; −1 when it was not found. */
    int labelOf(int node) {
        int best = labels.first(node);
        for (int label = best; limited && label != NONE; label = labels.next[label]) {
            best = isBefore(label, best) ? label : best;
        }
        return best;
    }

    private boolean isBefore(int label, int than) {
        double cost = labels.costs[label];
        return cost < labels.costs[than] || (cost == labels.costs[than] && labels.hops[label] < labels.hops[than]);
    }

    /** The number of labels whose ways were counted, which from now on are all up to this one. */
    int counted(int label) {
        int before = counted;
        counted = Math.max(counted, label + 1);
        return before;
    }

    /** The labels in the queue, about. */
    int waiting() {
        return kind.byCost ? heap.size() : labels.size - turn;
    }

    /** The cost of the next label to settle, or its hops; infinite at the end. */
    double next() {
        if (!kind.byCost) {
            return turn < labels.size ? labels.hops[turn] : Double.POSITIVE_INFINITY;
        }
        dropStale();
        return heap.isEmpty() ? Double.POSITIVE_INFINITY : heap.cost();
    }

    private void dropStale() {
        while (!heap.isEmpty() && isStale(heap.label(0), heap.cost(), heap.hops())) {
            heap.remove();
        }
    }

    private boolean isStale(int label, double cost, int hops) {
        if (labels.costs[label] != cost || labels.hops[label] != hops) {
            return true;
        }
        if (limited && label > 0) {
            for (int i = first(labels.nodes[label]); i != NONE; i = labels.next[i]) {
                if (i != label && labels.costs[i] <= cost && labels.hops[i] <= hops && isBefore(i, label)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The next label, which is final now; −1 at the end. */
    int settle() {
        budget.step();
        if (!kind.byCost) {
            return turn < labels.size ? turn++ : NONE;
        }
        dropStale();
        if (heap.isEmpty()) {
            return NONE;
        }
        int label = heap.label(0);
        heap.remove();
        return label;
    }

    /** Follows the steps from the node of a label that was settled. */
    void expand(int label) {
        int node = labels.nodes[label];
        int hops = labels.hops[label];
        boolean isEnd = (label > 0 && node == labels.nodes[0]) || hops >= mostHops();
        if (isEnd || isUseless(node, labels.costs[label], hops)) {
            return;
        }
        graph.forgetMany();
        if (!graph.isExplored(node)) {
            explore(node, hops);
        }
        StepGraph.Steps steps = graph.steps();
        int end = graph.to(node);
        for (int step = graph.from(node); step < end; step++) {
            if (forbidden == -1 || forbidden != Path.entity(steps.edgeTypes[step], steps.edges[step])) {
                relax(label, step, hops + 1);
            }
        }
    }

    private boolean isUseless(int node, double cost, int hops) {
        Pruning by = pruning;
        return by != null && by.isUseless(node, cost, hops);
    }

    private int mostHops() {
        return kind.byCost && !limited ? Integer.MAX_VALUE : maxHops;
    }

    /** Reads the steps of a node together with those of nodes that come soon. */
    private void explore(int node, int hops) {
        int[] nodes = graph.exploring();
        int n = 1;
        nodes[0] = node;
        graph.claim(node);
        if (kind.byCost) {
            for (int i = 0; i < Math.min(AHEAD, heap.size()); i++) {
                n = ahead(heap.label(i), nodes, n);
            }
        } else {
            for (int i = turn; i < labels.size && n < Column.CAPACITY && labels.hops[i] == hops; i++) {
                n = ahead(i, nodes, n);
            }
        }
        graph.exploreAll(n);
    }

    private int ahead(int label, int[] nodes, int n) {
        int node = labels.nodes[label];
        boolean isEnd = node == labels.nodes[0] || labels.hops[label] >= mostHops() || graph.isExplored(node);
        if (isEnd || isUseless(node, labels.costs[label], labels.hops[label]) || !graph.claim(node)) {
            return n;
        }
        nodes[n] = node;
        return n + 1;
    }

    private double cost(StepGraph.Steps steps, int step) {
        return kind.priced ? steps.cost(step) : LatePrices.UNKNOWN;
    }

    private void relax(int label, int step, int hops) {
        StepGraph.Steps steps = graph.steps();
        double cost = cost(steps, step);
        if (kind.byCost) {
            cost += labels.costs[label];
            if (cost == Double.POSITIVE_INFINITY) {
                return;
            }
        }
        if (!isUseless(steps.far[step], cost, hops)) {
            offer(label, steps, step, cost, hops);
        }
    }

    private int first(int node) {
        return node == labels.nodes[0] ? closing : labels.first(node);
    }

    private void offer(int parent, StepGraph.Steps steps, int step, double cost, int hops) {
        int node = steps.far[step];
        int edgeType = steps.edgeTypes[step];
        int edge = steps.edges[step];
        int known = first(node);
        while (known != NONE) {
            boolean isEqual = labels.hops[known] == hops && (!kind.byCost || labels.costs[known] == cost);
            if (isEqual) {
                tie(known, parent, edgeType, edge, cost);
                return;
            }
            boolean isWorse = kind.byCost
                    ? cost > labels.costs[known] || (cost == labels.costs[known] && hops > labels.hops[known])
                    : hops > labels.hops[known];
            if (isWorse && (!limited || hops >= labels.hops[known])) {
                return;
            }
            if (!limited) {
                break;
            }
            known = labels.next[known];
        }
        int label = known != NONE ? known : newLabel(node, hops, cost);
        labels.costs[label] = cost;
        labels.hops[label] = hops;
        labels.lead(label, parent, edgeType, edge);
        if (kind.all) {
            ways.begin(label);
            ways.add(label, parent, Path.entity(edgeType, edge), cost);
        }
        if (kind.byCost) {
            heap.add(cost, hops, label);
        }
        meetOther(node, cost, hops);
    }

    private int newLabel(int node, int hops, double cost) {
        int label = labels.add(node, hops, cost);
        if (node == labels.nodes[0]) {
            labels.next[label] = closing;
            closing = label;
        } else {
            labels.list(node, label);
        }
        return label;
    }

    private void tie(int known, int parent, int edgeType, int edge, double cost) {
        if (kind.all) {
            ways.add(known, parent, Path.entity(edgeType, edge), cost);
        } else if (order.comesBefore(parent, edgeType, edge, known)) {
            labels.lead(known, parent, edgeType, edge);
            labels.costs[known] = cost;
        }
    }

    private void meetOther(int node, double cost, int hops) {
        LabelSearch to = other;
        if (to == null) {
            return;
        }
        int there = to.graph.find(graph.key(node));
        int label = there < 0 ? NONE : to.labels.first(there);
        if (label != NONE) {
            double sum = kind.byCost ? cost + to.labels.costs[label] : hops + to.labels.hops[label];
            met = Math.min(met, sum);
        }
    }
}
