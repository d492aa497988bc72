package service.projection.query.path;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.core.value.Direction;
import service.core.value.HeapBytes;
import service.projection.query.plan.Node;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.LongTable;

/**
 * The part of the graph that a search has seen: nodes with numbers from 0 in the order in which they were found, and
 * the steps from each node that was explored. A step that does not meet the condition is not there. All nodes of a
 * batch are read, and tested, together.
 */
final class StepGraph {
    /** Steps that a search keeps at most when it reads the steps of one node at a time. */
    private static final int KEPT_MAX = 1 << 18;

    /** Nodes of which a graph is kept at most for the next search, which clears a number for each of them. */
    private static final int KEPT_NODES_MAX = 1 << 16;

    private static final int UNKNOWN = -1;
    private static final int CLAIMED = -2;

    private final ExecutionBudget budget;
    private final List<Node.Step> kinds;
    private final boolean undirected;
    private final boolean along;
    private final @Nullable StepRule rule;
    private final LongTable nodes;
    private final EntityColumn frontier;
    private final ExpandBatch found;
    private final int[] exploring;
    private final int[] counts;

    /** For each node the range of its steps; {@link #UNKNOWN} before it is explored. */
    private int[] from = {};

    private int[] to = {};

    private final Steps steps;
    private final Steps read;
    private int[] rows = {};

    /** Steps, each with the node that it leads to, its edge and its cost. */
    static final class Steps {
        private final ExecutionBudget budget;
        private final boolean priced;
        int[] far = {};
        int[] edgeTypes = {};
        int[] edges = {};
        double[] costs = {};
        int size;

        Steps(ExecutionBudget budget, boolean priced) {
            this.budget = budget;
            this.priced = priced;
        }

        int add(int node, int edgeType, int edge, double cost) {
            if (size == far.length) {
                grow();
            }
            far[size] = node;
            edgeTypes[size] = edgeType;
            edges[size] = edge;
            if (priced) {
                costs[size] = cost;
            }
            return size++;
        }

        private void grow() {
            int room = HeapBytes.room(size + 1);
            int before = far.length;
            budget.charge(bytes(room));
            far = Arrays.copyOf(far, room);
            edgeTypes = Arrays.copyOf(edgeTypes, room);
            edges = Arrays.copyOf(edges, room);
            if (priced) {
                costs = Arrays.copyOf(costs, room);
            }
            budget.release(bytes(before));
        }

        private long bytes(int room) {
            return 3 * HeapBytes.array(room, Integer.BYTES) + (priced ? HeapBytes.array(room, Double.BYTES) : 0);
        }

        double cost(int step) {
            return priced ? costs[step] : 1;
        }
    }

    /**
     * An empty graph.
     *
     * @param kinds the edges that are walked, in the direction of the search
     * @param along whether that is the direction of the path
     */
    StepGraph(ExecutionBudget budget, List<Node.Step> kinds, boolean along, @Nullable StepRule rule) {
        this.budget = budget;
        this.kinds = kinds;
        this.along = along;
        // Both directions find a self-loop.
        this.undirected = Node.Step.isUndirected(kinds);
        this.rule = rule;
        this.nodes = new LongTable(budget);
        this.frontier = budget.own(new EntityColumn());
        this.found = budget.expandBatch(true);
        this.exploring = budget.rowNumbers();
        this.counts = budget.rowNumbers();
        boolean priced = rule != null && rule.isPriced();
        this.steps = new Steps(budget, priced);
        this.read = new Steps(budget, priced);
    }

    /**
     * Begins a search. It forgets all nodes and steps, unless a condition was tested on them that says the same for
     * each search: then those that are known need no other test.
     */
    void begin() {
        if (rule == null || rule.readsOuterRow() || nodes.size() > KEPT_NODES_MAX) {
            clear();
        }
    }

    /** Forgets all nodes and steps. */
    void clear() {
        nodes.clear();
        steps.size = 0;
    }

    /** The number of a node, which gets one if it has none. */
    int number(int type, int ordinal) {
        int size = nodes.size();
        int number = nodes.add(Path.entity(type, ordinal));
        if (number == size) {
            if (number >= from.length) {
                growNodes();
            }
            from[number] = UNKNOWN;
        }
        return number;
    }

    /** The number of a node; −1 when the search has not found it. */
    int find(long key) {
        return nodes.find(key);
    }

    long key(int node) {
        return nodes.key(node);
    }

    int type(int node) {
        return (int) (nodes.key(node) >>> 32);
    }

    private void growNodes() {
        int room = HeapBytes.room(nodes.size());
        int before = from.length;
        budget.charge(2 * HeapBytes.array(room, Integer.BYTES));
        from = Arrays.copyOf(from, room);
        to = Arrays.copyOf(to, room);
        budget.release(2 * HeapBytes.array(before, Integer.BYTES));
    }

    boolean isExplored(int node) {
        return from[node] >= 0;
    }

    /** Takes note that a node is about to be explored; false when that was noted before. */
    boolean claim(int node) {
        boolean isFirst = from[node] == UNKNOWN;
        from[node] = CLAIMED;
        return isFirst;
    }

    Steps steps() {
        return steps;
    }

    /** The first step from a node that is explored. */
    int from(int node) {
        return from[node];
    }

    /** The end of the steps from a node that is explored. */
    int to(int node) {
        return to[node];
    }

    /** Reads the steps from a node, unless it is explored. */
    void explore(int node) {
        if (!isExplored(node)) {
            exploring[0] = node;
            exploreAll(1);
        }
    }

    /** Where {@link #exploreAll} takes nodes from: at most {@link Column#CAPACITY}, none of them explored. */
    int[] exploring() {
        return exploring;
    }

    /** Forgets steps when there are many: they are read again if they are asked for. */
    void forgetMany() {
        if (steps.size > KEPT_MAX) {
            Arrays.fill(from, 0, nodes.size(), UNKNOWN);
            steps.size = 0;
            budget.steps(nodes.size() / 64);
        }
    }

    /** Reads the steps from the first nodes of {@link #exploring}. */
    void exploreAll(int size) {
        frontier.reset(size);
        for (int i = 0; i < size; i++) {
            long key = nodes.key(exploring[i]);
            frontier.set(i, (int) (key >>> 32), (int) key, EntityColumn.NO_RECORD);
        }
        read.size = 0;
        Arrays.fill(counts, 0, size, 0);
        for (Node.Step kind : kinds) {
            boolean skipLoops = undirected && kind.direction() == Direction.IN;
            try (GraphView.Expansion expansion =
                    budget.view.expand(kind.lane().identity(), kind.direction(), frontier, size)) {
                while (expansion.next(found)) {
                    budget.examined(found.size);
                    take(kind, skipLoops);
                }
            }
        }
        distribute(size);
    }

    private void take(Node.Step kind, boolean skipLoops) {
        StepRule test = rule;
        if (test != null) {
            test.test(kind.edgeType(), kind.farType(), frontier, found, along);
        }
        for (int i = 0; i < found.size; i++) {
            int row = found.inputRows[i];
            int ordinal = found.neighbours[i];
            boolean loop = skipLoops && kind.farType() == frontier.types[row] && ordinal == frontier.ordinals[row];
            if (loop || (test != null && !test.passed(i))) {
                continue;
            }
            int at = read.add(
                    number(kind.farType(), ordinal), kind.edgeType(), found.edges[i], test == null ? 1 : test.cost(i));
            rows = budget.withRoom(rows, at);
            rows[at] = row;
            counts[row]++;
        }
    }

    /** Gives each node its steps, which the kinds of edges have found apart. */
    private void distribute(int size) {
        for (int i = 0; i < size; i++) {
            int node = exploring[i];
            from[node] = steps.size;
            to[node] = steps.size;
            for (int more = counts[i]; more > 0; more--) {
                steps.add(0, 0, 0, 0);
            }
        }
        for (int i = 0; i < read.size; i++) {
            int at = to[exploring[rows[i]]]++;
            steps.far[at] = read.far[i];
            steps.edgeTypes[at] = read.edgeTypes[i];
            steps.edges[at] = read.edges[i];
            if (steps.costs.length > 0) {
                steps.costs[at] = read.costs[i];
            }
        }
    }
}
