package service.projection.query.path;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Walk;
import service.core.value.HeapBytes;
import service.projection.query.plan.Node;
import service.projection.query.vector.ExecutionBudget;

/** Makes paths of the labels of a search. Paths that are only counted are not made. */
final class Traces {
    private final ExecutionBudget budget;
    private final boolean all;
    private final boolean byCost;
    private final boolean along;
    private final boolean priced;
    private final StepGraph graph;

    /** Finds the costs of the steps to a label; null when these are known. */
    private final @Nullable LatePrices prices;

    private long[] counts = {};

    Traces(ExecutionBudget budget, Node.Walking walking, StepGraph graph, boolean priced, @Nullable LatePrices prices) {
        this.prices = prices;
        this.budget = budget;
        this.all = walking.walk().mode() == Walk.Mode.ALL_SHORTEST;
        this.byCost = walking.walk().mode() == Walk.Mode.CHEAPEST;
        this.along = walking.along();
        this.graph = graph;
        this.priced = priced;
    }

    boolean isLate() {
        return prices != null;
    }

    /** Gives the best path of a label, or all of them; false when no more are needed. */
    boolean give(LabelSearch search, int label, long far, PathSink sink) {
        if (all) {
            return giveAll(search, label, far, sink);
        }
        int hops = search.labels.hops[label];
        double cost = cost(search, label, sink);
        Path path = sink.readsPath() ? path(search, label) : null;
        return cost == Double.POSITIVE_INFINITY || sink.take(far, hops, cost, path, 1);
    }

    /** The cost of the best path of a label; its hops when it was not found because it is not read. */
    double cost(LabelSearch search, int label, PathSink sink) {
        Labels labels = search.labels;
        if (byCost || !priced || (prices != null && !sink.readsCost())) {
            return byCost ? labels.costs[label] : labels.hops[label];
        }
        if (prices != null) {
            prices.find(search, label);
        }
        double[] steps = new double[labels.hops[label]];
        int n = 0;
        for (int at = label; labels.parents[at] != Labels.NONE; at = labels.parents[at]) {
            steps[n++] = labels.costs[at];
        }
        return sum(steps, !along);
    }

    /** The sum in the order of the path, because sums of floating-point numbers depend on it. */
    private double sum(double[] steps, boolean inOrder) {
        budget.steps(steps.length);
        double sum = 0;
        for (int i = 0; i < steps.length; i++) {
            sum += steps[inOrder ? i : steps.length - 1 - i];
        }
        return sum;
    }

    /** The best path of a label. */
    Path path(LabelSearch search, int label) {
        Labels labels = search.labels;
        int hops = labels.hops[label];
        budget.steps(hops);
        long[] nodes = new long[hops + 1];
        long[] edges = new long[hops];
        int n = 0;
        for (int at = label; at != Labels.NONE; at = labels.parents[at]) {
            nodes[n] = graph.key(labels.nodes[at]);
            if (n < hops) {
                edges[n] = Path.entity(labels.edgeTypes[at], labels.edges[at]);
            }
            n++;
        }
        return ordered(nodes, edges);
    }

    /** Takes nodes and edges from the far end of the search to its start. */
    private Path ordered(long[] nodes, long[] edges) {
        if (along) {
            reverse(nodes);
            reverse(edges);
        }
        return new Path(nodes, edges);
    }

    private static void reverse(long[] items) {
        for (int i = 0, j = items.length - 1; i < j; i++, j--) {
            long item = items[i];
            items[i] = items[j];
            items[j] = item;
        }
    }

    private boolean giveAll(LabelSearch search, int label, long far, PathSink sink) {
        int hops = search.labels.hops[label];
        if (!sink.readsPath() && !(priced && sink.readsCost())) {
            return sink.take(far, hops, hops, null, count(search, label));
        }
        if (prices != null) {
            prices.find(search, label);
        }
        Ways ways = search.ways;
        int[] at = new int[hops + 1];
        int[] way = new int[hops];
        at[0] = label;
        way[0] = ways.first(label);
        int depth = 0;
        while (depth >= 0) {
            budget.step();
            if (depth == hops) {
                if (!giveOne(search, at, way, far, sink)) {
                    return false;
                }
            } else if (way[depth] != Labels.NONE) {
                at[depth + 1] = ways.parents[way[depth]];
                depth++;
                if (depth < hops) {
                    way[depth] = ways.first(at[depth]);
                }
                continue;
            }
            depth--;
            if (depth >= 0) {
                way[depth] = ways.next[way[depth]];
            }
        }
        return true;
    }

    private boolean giveOne(LabelSearch search, int[] at, int[] way, long far, PathSink sink) {
        double[] steps = new double[way.length];
        for (int i = 0; i < way.length; i++) {
            steps[i] = search.ways.costs[way[i]];
        }
        double cost = sum(steps, !along);
        if (cost == Double.POSITIVE_INFINITY) {
            return true;
        }
        Path path = null;
        if (sink.readsPath()) {
            long[] nodes = new long[at.length];
            long[] edges = new long[way.length];
            for (int i = 0; i < at.length; i++) {
                nodes[i] = graph.key(search.labels.nodes[at[i]]);
            }
            for (int i = 0; i < way.length; i++) {
                edges[i] = search.ways.edges[way[i]];
            }
            path = ordered(nodes, edges);
        }
        return sink.take(far, way.length, cost, path, 1);
    }

    /** The number of ways to a label, or the greatest there is. Labels come after those that they are led to from. */
    private long count(LabelSearch search, int label) {
        if (label >= counts.length) {
            int room = HeapBytes.room(label + 1);
            budget.charge(HeapBytes.array(room, Long.BYTES));
            budget.release(HeapBytes.array(counts.length, Long.BYTES));
            counts = Arrays.copyOf(counts, room);
        }
        int from = search.counted(label);
        for (int i = from; i <= label; i++) {
            long count = i == 0 ? 1 : 0;
            for (int way = search.ways.first(i); way != Labels.NONE; way = search.ways.next[way]) {
                budget.step();
                long sum = count + counts[search.ways.parents[way]];
                count = sum < 0 ? Long.MAX_VALUE : sum;
            }
            counts[i] = count;
        }
        return counts[label];
    }
}
