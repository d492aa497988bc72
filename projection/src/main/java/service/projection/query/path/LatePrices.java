package service.projection.query.path;

import java.util.Arrays;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.value.HeapBytes;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.LongTable;

/**
 * The costs of the steps of results, for a search by hops under a rule that says no more than these. The search itself
 * knows no costs: its steps have {@link #UNKNOWN} ones, and only those that lead to results are asked for.
 */
final class LatePrices {
    /** The cost of a step that was not asked for. */
    static final double UNKNOWN = Double.NaN;

    /** Steps of which the costs are kept at most for the next search, which clears a number for each of them. */
    private static final int KEPT_MAX = 1 << 16;

    private final ExecutionBudget budget;
    private final StepRule rule;
    private final StepGraph graph;
    private final boolean along;

    /** The steps that have been asked for, by edge and direction, and their costs; those that wait have none yet. */
    private final LongTable known;

    private double[] costs = {};

    /** The steps that wait, all along one type of edges to one type of nodes. */
    private final EntityColumn near;

    private final ExpandBatch waiting;
    private final int[] places;
    private final int[] numbers;
    private int edgeType;
    private int farType;

    /** Where the costs go: those of the labels of a search, or of its ways. */
    private double[] into = {};

    private int[] labels = new int[64];

    /** @param along whether the search walks in the direction of the path */
    LatePrices(ExecutionBudget budget, StepRule rule, StepGraph graph, boolean along) {
        this.budget = budget;
        this.rule = rule;
        this.graph = graph;
        this.along = along;
        this.known = new LongTable(budget);
        this.near = budget.own(new EntityColumn());
        this.waiting = budget.expandBatch(true);
        this.places = budget.rowNumbers();
        this.numbers = budget.rowNumbers();
        near.reset(Column.CAPACITY);
    }

    /** Begins a search. It forgets costs that may differ from those of the search before. */
    void begin() {
        if (rule.readsOuterRow() || known.size() > KEPT_MAX) {
            known.clear();
        }
    }

    /** Finds the costs of all steps that lead to a label. */
    void find(LabelSearch search, int label) {
        int n = 1;
        labels = budget.withRoom(labels, 0);
        labels[0] = label;
        while (n > 0) {
            int at = labels[--n];
            if (!ask(search, at)) {
                continue;
            }
            if (!search.keepsAll()) {
                labels[n++] = search.labels.parents[at];
                continue;
            }
            for (int way = search.ways.first(at); way != Labels.NONE; way = search.ways.next[way]) {
                labels = budget.withRoom(labels, n);
                labels[n++] = search.ways.parents[way];
            }
        }
        answer();
    }

    /** Finds the costs of all steps of a search. */
    void findAll(LabelSearch search) {
        for (int label = 0; label < search.labels.size; label++) {
            ask(search, label);
        }
        answer();
    }

    /** Asks for the last steps of the ways to a label; false when there is none, or they were asked for before. */
    private boolean ask(LabelSearch search, int label) {
        Labels all = search.labels;
        int parent = all.parents[label];
        if (parent == Labels.NONE) {
            return false;
        }
        if (!search.keepsAll()) {
            into = all.costs;
            return ask(search, parent, label, Path.entity(all.edgeTypes[label], all.edges[label]), label);
        }
        Ways ways = search.ways;
        into = ways.costs;
        boolean isFirst = false;
        for (int way = ways.first(label); way != Labels.NONE; way = ways.next[way]) {
            isFirst |= ask(search, ways.parents[way], label, ways.edges[way], way);
        }
        return isFirst;
    }

    private boolean ask(LabelSearch search, int parent, int label, long edge, int place) {
        budget.step();
        if (!Double.isNaN(into[place])) {
            return false;
        }
        long from = graph.key(search.labels.nodes[parent]);
        long to = graph.key(search.labels.nodes[label]);
        int before = known.size();
        int number = known.add(edge << 1 | (from < to ? 1 : 0));
        if (number < before) {
            if (Double.isNaN(costs[number])) {
                answer();
            }
            into[place] = costs[number];
            return true;
        }
        takeCost(number, UNKNOWN);
        wait(from, to, edge, place, number);
        return true;
    }

    private void wait(long from, long to, long edge, int place, int number) {
        int ofEdge = (int) (edge >>> 32);
        int ofFar = (int) (to >>> 32);
        if (ofEdge != edgeType || ofFar != farType || waiting.size == Column.CAPACITY) {
            answer();
            edgeType = ofEdge;
            farType = ofFar;
        }
        int at = waiting.size++;
        near.set(at, (int) (from >>> 32), (int) from, EntityColumn.NO_RECORD);
        waiting.inputRows[at] = at;
        waiting.neighbours[at] = (int) to;
        waiting.edges[at] = (int) edge;
        places[at] = place;
        numbers[at] = number;
        into[place] = 0;
    }

    private void takeCost(int number, double cost) {
        if (number >= costs.length) {
            int room = HeapBytes.room(number + 1);
            budget.charge(HeapBytes.array(room, Double.BYTES));
            budget.release(HeapBytes.array(costs.length, Double.BYTES));
            costs = Arrays.copyOf(costs, room);
        }
        costs[number] = cost;
    }

    /** Runs the rule on the steps that wait. */
    private void answer() {
        if (waiting.size == 0) {
            return;
        }
        rule.test(edgeType, farType, near, waiting, along);
        for (int i = 0; i < waiting.size; i++) {
            if (!rule.passed(i)) {
                throw new IllegalStateException("a rule without conditions has dropped a step");
            }
            costs[numbers[i]] = rule.cost(i);
            into[places[i]] = rule.cost(i);
        }
        waiting.size = 0;
    }
}
