package service.projection.query.path;

import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Walk;
import service.projection.query.operator.Cutoff;
import service.projection.query.plan.Node;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.LongTable;

/**
 * Shortest and cheapest paths. With both ends given, a second search comes from the far end. When the two have met it
 * is known how long, or how dear, the best path is. From there the first one follows only ways that can be part of such
 * a path: those whose rest, of which the second search knows a lower bound, is short enough.
 *
 * <p>A path back to the start is found beside the others where edges have a direction. Where they have none, it may not
 * walk back along its first edge: each first step has a search of its own.
 */
final class BestSearch implements PathSearch {
    private static final int NONE = Labels.NONE;

    /** The greatest limit of hops with which a search by cost is limited ({@link LabelSearch}) from the beginning. */
    private static final int FEW_HOPS = 8;

    /** What the sums of the same costs in another order may differ by. */
    private static final double ROUNDING = 1e-9;

    private final Node.Walking walking;
    private final LabelSearch near;
    private final LabelSearch far;
    private final StepGraph graph;
    private final StepGraph back;
    private final boolean byCost;
    private final Traces traces;
    private final boolean tested;
    private final @Nullable LatePrices prices;

    /** The nodes to which a path was given, while paths are given as they are found. */
    private final LongTable given;

    private @Nullable CycleSearch cycles;
    private final ExecutionBudget budget;

    BestSearch(ExecutionBudget budget, Node.Walking walking, @Nullable StepRule rule) {
        this.budget = budget;
        this.walking = walking;
        Walk.Mode mode = walking.walk().mode();
        this.byCost = mode == Walk.Mode.CHEAPEST;
        boolean along = walking.along();
        this.given = new LongTable(budget);
        StepRule price = rule != null && !byCost && rule.isOnlyPrice() ? rule : null;
        boolean late = price != null;
        StepRule test = late ? null : rule;
        this.tested = test != null;
        this.graph = new StepGraph(budget, walking.steps(), along, test);
        this.back = new StepGraph(budget, walking.back(), !along, test);
        boolean all = mode == Walk.Mode.ALL_SHORTEST;
        this.near = new LabelSearch(budget, graph, new LabelSearch.Kind(byCost, along, all, !late));
        this.far = new LabelSearch(budget, back, new LabelSearch.Kind(byCost, !along, false, !late));
        this.prices = price == null ? null : new LatePrices(budget, price, graph, along);
        this.traces = new Traces(budget, walking, graph, rule != null && rule.isPriced(), prices);
    }

    @Override
    public boolean run(long start, long end, PathSink sink) {
        graph.begin();
        if (prices != null) {
            prices.begin();
        }
        int first = graph.number((int) (start >>> 32), (int) start);
        boolean mayReturn = sink.isEnd((int) (start >>> 32)) && (end == ANY || end == start);
        if (walking.walk().minHops() == 0 && mayReturn) {
            boolean more = sink.take(start, 0, 0, sink.readsPath() ? Path.empty(start) : null, 1);
            if (!more || end == start) {
                return more;
            }
            mayReturn = false;
        }
        if (walking.walk().maxHops() == 0) {
            return true;
        }
        if (end != ANY && end != start) {
            return toEnd(first, end, sink);
        }
        boolean directed = !walking.isUndirected();
        if (end == ANY && byCost && !sink.cutoff().equals(Cutoff.NONE)) {
            if (!giveNearest(first, mayReturn && directed, sink)) {
                return false;
            }
            mayReturn &= !directed;
        } else if (end == ANY || directed) {
            if (!explore(first, end == start, isFew())) {
                explore(first, end == start, true);
            }
            if (end == ANY && !giveAll(sink)) {
                return false;
            }
        }
        if (!mayReturn) {
            return true;
        }
        return directed ? giveClosing(near, start, sink) : cycle(first, start, sink);
    }

    private boolean isFew() {
        return byCost && walking.walk().maxHops() <= FEW_HOPS;
    }

    /**
     * Searches from the start alone.
     *
     * @return false when the way to a node was the cheapest, but too long
     */
    private boolean explore(int first, boolean isReturn, boolean limited) {
        int most = walking.walk().maxHops();
        near.begin(first, most, limited);
        for (int label = near.settle(); label != NONE; label = near.settle()) {
            if (near.labels.hops[label] > most) {
                return false;
            }
            if (isReturn && label > 0 && near.labels.nodes[label] == first) {
                return true;
            }
            near.expand(label);
        }
        return true;
    }

    /**
     * Searches from the start alone and gives each path when it is final, the cheapest first, while they are needed.
     *
     * @param isReturn whether the start is wanted, too
     */
    private boolean giveNearest(int first, boolean isReturn, PathSink sink) {
        Cutoff cutoff = sink.cutoff();
        int most = walking.walk().maxHops();
        given.clear();
        beginNearest(first, isFew(), cutoff);
        for (int label = near.settle(); label != NONE; label = near.settle()) {
            if (cutoff.isBeyond(near.labels.costs[label])) {
                return true;
            }
            if (near.labels.hops[label] > most) {
                beginNearest(first, true, cutoff);
                continue;
            }
            int node = near.labels.nodes[label];
            boolean isResult = label > 0 && (node != first || isReturn) && sink.isEnd(graph.type(node));
            int known = given.size();
            // The first label of a node that is settled is its best one.
            boolean isNew = isResult && given.add(node) == known;
            if (isNew && !traces.give(near, label, graph.key(node), sink)) {
                return false;
            }
            near.expand(label);
        }
        return true;
    }

    private void beginNearest(int first, boolean limited, Cutoff cutoff) {
        near.begin(first, walking.walk().maxHops(), limited);
        near.prune((node, cost, hops) -> cutoff.isBeyond(cost));
    }

    private boolean giveAll(PathSink sink) {
        if (prices != null && sink.readsCost()) {
            prices.findAll(near);
        }
        // The graph may know more nodes than this search has found.
        for (int listed = 1; listed < near.labels.size; listed++) {
            int node = near.labels.nodes[listed];
            budget.step();
            boolean isResult = near.labels.first(node) == listed && sink.isEnd(graph.type(node));
            int label = isResult ? near.labelOf(node) : NONE;
            if (isResult && !traces.give(near, label, graph.key(node), sink)) {
                return false;
            }
        }
        return true;
    }

    private boolean giveClosing(LabelSearch search, long start, PathSink sink) {
        int label = search.bestClosing();
        return label == NONE || traces.give(search, label, start, sink);
    }

    private boolean toEnd(int first, long end, PathSink sink) {
        int most = walking.walk().maxHops();
        back.begin();
        int last = back.number((int) (end >>> 32), (int) end);
        near.begin(first, most, false);
        far.begin(last, most, false);
        near.meet(far);
        far.meet(near);
        if (byCost) {
            near.prune(untilMet(near, far));
            far.prune(untilMet(far, near));
        }
        double best = byCost ? cheapest(sink.cutoff()) : shortest(most);
        if (best == Double.POSITIVE_INFINITY) {
            return true;
        }
        near.prune(pruning(best));
        int target = graph.number((int) (end >>> 32), (int) end);
        int label = settled(target);
        if (byCost && label != NONE && near.labels.hops[label] > most) {
            near.begin(first, most, true);
            label = settled(target);
        }
        return label == NONE || traces.give(near, label, end, sink);
    }

    /** Continues the search from the start up to a node; its label, or −1. */
    private int settled(int node) {
        for (int label = near.settle(); label != NONE; label = near.settle()) {
            if (near.labels.nodes[label] == node) {
                return label;
            }
            near.expand(label);
        }
        return NONE;
    }

    /** The number of hops between the ends. */
    private double shortest(int most) {
        int level = 0;
        while (level < most) {
            LabelSearch search = near.waiting() <= far.waiting() ? near : far;
            double hops = search.next();
            if (hops == Double.POSITIVE_INFINITY) {
                return hops;
            }
            while (search.next() == hops) {
                search.expand(search.settle());
                if (search.met() < Double.POSITIVE_INFINITY) {
                    return level + 1.0;
                }
            }
            level++;
        }
        return Double.POSITIVE_INFINITY;
    }

    /** The cost of the cheapest path of any length, but for rounding; infinite when it is not needed. */
    private double cheapest(Cutoff cutoff) {
        while (true) {
            double best = Math.min(near.met(), far.met());
            double one = near.next();
            double other = far.next();
            boolean isOver = one == Double.POSITIVE_INFINITY || other == Double.POSITIVE_INFINITY;
            if (isOver || one + other >= best) {
                return best;
            }
            if (cutoff.isBeyond((one + other) * (1 - ROUNDING))) {
                return Double.POSITIVE_INFINITY;
            }
            LabelSearch search = near.waiting() <= far.waiting() ? near : far;
            search.expand(search.settle());
        }
    }

    /** Leaves out what costs more than the best path that is known while both searches go on. */
    private LabelSearch.Pruning untilMet(LabelSearch search, LabelSearch other) {
        return (node, cost, hops) -> {
            double best = Math.min(near.met(), far.met());
            if (best == Double.POSITIVE_INFINITY) {
                return false;
            }
            double most = rounded(best);
            double rest = other.next();
            return cost + rest > most && cost + costLeft(other, search.graph.key(node), rest) > most;
        };
    }

    /**
     * A lower bound of the cost from a node to the start of the other search.
     *
     * @param rest the least cost of the nodes that the other search has still to expand
     */
    private static double costLeft(LabelSearch other, long node, double rest) {
        int there = other.graph.find(node);
        int label = there < 0 ? NONE : other.labels.first(there);
        return label == NONE ? rest : Math.min(rest, other.labels.costs[label]);
    }

    private static double rounded(double cost) {
        return cost * (1 + ROUNDING) + Double.MIN_NORMAL;
    }

    private LabelSearch.Pruning pruning(double best) {
        if (byCost) {
            double most = rounded(best);
            double rest = far.next();
            return (node, cost, hops) -> cost + costLeft(far, graph.key(node), rest) > most;
        }
        // Nodes that the second search has not found are farther than those that it goes on from.
        double rest = far.next() + 1;
        return (node, cost, hops) -> {
            int there = back.find(graph.key(node));
            int label = there < 0 ? NONE : far.labels.first(there);
            return hops + (label == NONE ? rest : far.labels.hops[label]) > best;
        };
    }

    private boolean cycle(int first, long start, PathSink sink) {
        CycleSearch search = cycles;
        if (search == null) {
            search = new CycleSearch(budget, walking, graph, traces, isFew(), !tested);
            cycles = search;
        }
        return search.run(first, start, sink);
    }
}
