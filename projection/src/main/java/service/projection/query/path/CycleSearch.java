package service.projection.query.path;

import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Walk;
import service.projection.query.operator.Cutoff;
import service.projection.query.operator.ShortestCycle;
import service.projection.query.plan.Node;
import service.projection.query.vector.ExecutionBudget;

/**
 * The best paths back to a node along edges that have no direction. Such a path begins with some step and goes on by a
 * best way back that does not walk the edge of this step again, so there is a search for each first step.
 */
final class CycleSearch {
    private final ExecutionBudget budget;
    private final Walk walk;
    private final StepGraph graph;
    private final Traces traces;
    private final LabelSearch search;
    private final boolean limited;
    private final boolean byCost;

    /** Null when there is a rule, or when the best path need not be the shortest. */
    private final @Nullable ShortestCycle lengths;

    private final StepGraph.Steps firsts;
    private double bestCost;
    private int bestHops;
    private @Nullable Path best;

    /**
     * @param limited whether a search by cost keeps to the limit of hops from the beginning
     * @param isPlain whether there is no rule of steps
     */
    CycleSearch(
            ExecutionBudget budget,
            Node.Walking walking,
            StepGraph graph,
            Traces traces,
            boolean limited,
            boolean isPlain) {
        this.budget = budget;
        this.walk = walking.walk();
        this.graph = graph;
        this.traces = traces;
        this.limited = limited;
        this.byCost = walk.mode() == Walk.Mode.CHEAPEST;
        boolean all = walk.mode() == Walk.Mode.ALL_SHORTEST;
        this.search =
                new LabelSearch(budget, graph, new LabelSearch.Kind(byCost, walking.along(), all, !traces.isLate()));
        this.lengths = isPlain && !byCost ? new ShortestCycle(budget, walking.steps()) : null;
        this.firsts = new StepGraph.Steps(budget, true);
    }

    boolean run(int first, long start, PathSink sink) {
        int most = walk.maxHops();
        if (lengths != null) {
            most = lengths.length((int) (start >>> 32), (int) start, most);
            if (most == ShortestCycle.NONE) {
                return true;
            }
        }
        takeFirsts(first);
        bestCost = Double.POSITIVE_INFINITY;
        bestHops = most;
        best = null;
        boolean isFound = false;
        for (int step = 0; step < firsts.size; step++) {
            int label = label(first, step, sink.cutoff());
            if (label != Labels.NONE) {
                isFound = true;
                keep(label, sink);
            }
        }
        if (!isFound) {
            return true;
        }
        if (walk.mode() != Walk.Mode.ALL_SHORTEST) {
            return sink.take(start, bestHops, bestCost, best, 1);
        }
        for (int step = 0; step < firsts.size; step++) {
            int label = label(first, step, sink.cutoff());
            if (label != Labels.NONE && !traces.give(search, label, start, sink)) {
                return false;
            }
        }
        return true;
    }

    /** Keeps the first steps apart, because a search may forget those of the graph. */
    private void takeFirsts(int first) {
        graph.explore(first);
        StepGraph.Steps steps = graph.steps();
        firsts.size = 0;
        for (int step = graph.from(first); step < graph.to(first); step++) {
            firsts.add(steps.far[step], steps.edgeTypes[step], steps.edges[step], steps.cost(step));
        }
    }

    /** The label of the best way back after a first step, unless a better path is known; −1 for none. */
    private int label(int first, int step, Cutoff cutoff) {
        if (firsts.costs[step] == Double.POSITIVE_INFINITY) {
            return Labels.NONE;
        }
        int label = back(first, step, limited, cutoff);
        boolean isTooLong = label != Labels.NONE && search.labels.hops[label] > walk.maxHops();
        return isTooLong ? back(first, step, true, cutoff) : label;
    }

    private int back(int first, int step, boolean isLimited, Cutoff cutoff) {
        search.beginCycle(first, firsts, step, byCost ? walk.maxHops() : bestHops, isLimited);
        if (byCost) {
            search.prune((node, cost, hops) -> cost > bestCost || cutoff.isBeyond(cost));
        }
        for (int label = search.settle(); label != Labels.NONE; label = search.settle()) {
            budget.step();
            if (search.labels.nodes[label] == first) {
                return label;
            }
            search.expand(label);
        }
        return Labels.NONE;
    }

    /** Keeps a path if it is better than the best one so far. */
    private void keep(int label, PathSink sink) {
        int hops = search.labels.hops[label];
        double cost = traces.cost(search, label, sink);
        double compared = byCost ? cost : hops;
        double known = best == null && bestCost == Double.POSITIVE_INFINITY
                ? Double.POSITIVE_INFINITY
                : byCost ? bestCost : bestHops;
        boolean isEqual = compared == known && hops == bestHops;
        if (compared > known || (compared == known && hops > bestHops)) {
            return;
        }
        Path path = sink.readsPath() || sink.readsCost() ? traces.path(search, label) : null;
        Path before = best;
        if (isEqual && path != null && before != null && !search.order().comesBefore(path, before)) {
            return;
        }
        best = path;
        bestCost = cost;
        bestHops = hops;
    }
}
