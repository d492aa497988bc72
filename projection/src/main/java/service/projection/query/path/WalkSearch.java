package service.projection.query.path;

import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Walk;
import service.projection.query.plan.Node;
import service.projection.query.vector.ExecutionBudget;

/**
 * All paths that repeat no edge, or no node: a search in depth. With both ends given, a search from the far end first
 * finds how far the nodes around it are from it, up to half of the hops, so that the other one follows no step from
 * which the end is too far.
 */
final class WalkSearch implements PathSearch {
    private final ExecutionBudget budget;
    private final Node.Walking walking;
    private final boolean repeatsNodes;
    private final StepGraph graph;
    private final StepGraph back;
    private final LabelSearch around;
    private final int most;

    /** The nodes of the current path, its steps, and the next step to try from each node. */
    private final int[] nodes;

    private final int[] steps;
    private final int[] next;
    private final long[] edges;
    private final double[] costs;
    private int rest;

    WalkSearch(ExecutionBudget budget, Node.Walking walking, @Nullable StepRule rule) {
        this.budget = budget;
        this.walking = walking;
        this.repeatsNodes = walking.walk().mode() == Walk.Mode.TRAIL;
        this.graph = new StepGraph(budget, walking.steps(), walking.along(), rule);
        this.back = new StepGraph(budget, walking.back(), !walking.along(), rule);
        this.around = new LabelSearch(budget, back, new LabelSearch.Kind(false, !walking.along(), false, false));
        this.most = walking.walk().maxHops();
        this.nodes = new int[most + 1];
        this.steps = new int[most + 1];
        this.next = new int[most + 1];
        this.edges = new long[most + 1];
        this.costs = new double[most + 1];
    }

    @Override
    public boolean run(long start, long end, PathSink sink) {
        graph.clear();
        nodes[0] = graph.number((int) (start >>> 32), (int) start);
        boolean mayStop = sink.isEnd((int) (start >>> 32)) && (end == ANY || end == start);
        if (walking.walk().minHops() == 0
                && mayStop
                && !sink.take(start, 0, 0, sink.readsPath() ? Path.empty(start) : null, 1)) {
            return false;
        }
        if (most == 0) {
            return true;
        }
        if (end != ANY) {
            lookAround(end);
        }
        explore(0);
        int depth = 0;
        next[0] = graph.from(nodes[0]);
        while (depth >= 0) {
            if (depth == most || next[depth] == graph.to(nodes[depth])) {
                depth--;
                continue;
            }
            int step = next[depth]++;
            budget.examined(1);
            if (!follow(depth, step, end)) {
                continue;
            }
            depth++;
            if (depth >= walking.walk().minHops() && isEnd(nodes[depth], end, sink) && !give(depth, sink)) {
                return false;
            }
            if (depth < most) {
                explore(depth);
                next[depth] = graph.from(nodes[depth]);
            }
        }
        return true;
    }

    private boolean isEnd(int node, long end, PathSink sink) {
        return end == ANY ? sink.isEnd(graph.type(node)) : graph.key(node) == end;
    }

    /** Makes a step the next one of the path, if it may be. */
    private boolean follow(int depth, int step, long end) {
        StepGraph.Steps all = graph.steps();
        int node = all.far[step];
        long edge = Path.entity(all.edgeTypes[step], all.edges[step]);
        for (int i = 0; i <= depth; i++) {
            boolean repeats = repeatsNodes ? i < depth && edges[i + 1] == edge : nodes[i] == node;
            if (repeats) {
                return false;
            }
        }
        double cost = costs[depth] + all.cost(step);
        if (cost == Double.POSITIVE_INFINITY || (end != ANY && depth + 1 + rest(node) > most)) {
            return false;
        }
        nodes[depth + 1] = node;
        steps[depth + 1] = step;
        edges[depth + 1] = edge;
        costs[depth + 1] = cost;
        return true;
    }

    private void lookAround(long end) {
        back.clear();
        around.begin(back.number((int) (end >>> 32), (int) end), most, false);
        rest = 0;
        while (rest < most / 2 && around.next() == rest) {
            while (around.next() == rest) {
                around.expand(around.settle());
            }
            rest++;
        }
        rest = around.next() == Double.POSITIVE_INFINITY ? most : rest;
    }

    /** The hops from a node to the end, at least. */
    private int rest(int node) {
        int there = back.find(graph.key(node));
        int label = there < 0 ? Labels.NONE : around.labels.first(there);
        return label != Labels.NONE ? around.labels.hops[label] : rest + 1;
    }

    /** Reads the steps of the last node of the path, and with them those of the nodes that they lead to. */
    private void explore(int depth) {
        int node = nodes[depth];
        graph.explore(node);
        if (depth + 1 >= most) {
            return;
        }
        int[] together = graph.exploring();
        int n = 0;
        for (int step = graph.from(node); step < graph.to(node) && n < together.length; step++) {
            int far = graph.steps().far[step];
            if (!graph.isExplored(far) && graph.claim(far)) {
                together[n++] = far;
            }
        }
        if (n > 0) {
            graph.exploreAll(n);
        }
    }

    private boolean give(int depth, PathSink sink) {
        double cost = costs[depth];
        if (!walking.along() && sink.readsCost()) {
            cost = 0;
            for (int i = depth; i > 0; i--) {
                cost += graph.steps().cost(steps[i]);
            }
        }
        Path path = null;
        if (sink.readsPath()) {
            long[] passed = new long[depth + 1];
            long[] walked = new long[depth];
            for (int i = 0; i <= depth; i++) {
                passed[walking.along() ? i : depth - i] = graph.key(nodes[i]);
            }
            for (int i = 0; i < depth; i++) {
                walked[walking.along() ? i : depth - 1 - i] = edges[i + 1];
            }
            path = new Path(passed, walked);
        }
        return sink.take(graph.key(nodes[depth]), depth, cost, path, 1);
    }
}
