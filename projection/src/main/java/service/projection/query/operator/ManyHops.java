package service.projection.query.operator;

import java.util.Arrays;
import java.util.List;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.projection.query.plan.Node;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.LongTable;

/**
 * Breadth-first searches along directed edges from all nodes of a batch at once, level by level, for searches that find
 * few nodes, such as the messages above a reply. One call expands a level of all searches. The nodes of all searches
 * are kept in the order in which they are found, each with its row in the batch.
 */
final class ManyHops {
    /** Nodes that all searches find at the most; beyond, one search after the other is faster. */
    private static final int FOUND_MAX = 16 * Column.CAPACITY;

    private static final int TYPE_BITS = 21;

    private final ExecutionBudget budget;
    private final Node.Hops node;
    private final List<Integer> types;
    private final LongTable nodes;
    private final EntityColumn frontier;
    private final ExpandBatch found;

    /** For each row, the length of the shortest cycle through its node; 0 when none was found. */
    private final int[] cycles;

    private int resultsFrom;

    /** For each number of hops the number of the first node that is so far away. */
    private int[] starts = new int[64];

    private int hops;

    /** @param types of all nodes that a search may meet */
    ManyHops(ExecutionBudget budget, Node.Hops node, List<Integer> types) {
        this.budget = budget;
        this.node = node;
        this.types = types;
        this.nodes = new LongTable(budget);
        this.frontier = budget.own(new EntityColumn());
        this.found = budget.expandBatch(false);
        this.cycles = budget.rowNumbers();
    }

    /** Searches from each row; false when that finds too many nodes, and nothing is known then. */
    boolean search(EntityColumn near, int size) {
        nodes.clear();
        Arrays.fill(cycles, 0, size, 0);
        for (int row = 0; row < size; row++) {
            int type = near.isNull(row) ? -1 : types.indexOf(near.types[row]);
            if (type >= 0) {
                nodes.add(key(row, type, near.ordinals[row]));
            }
        }
        resultsFrom = node.minHops() == 0 ? 0 : Integer.MAX_VALUE;
        int from = 0;
        hops = 0;
        for (int depth = 1; depth <= node.maxHops() && from < nodes.size(); depth++) {
            int to = nodes.size();
            starts = budget.withRoom(starts, depth);
            starts[depth] = to;
            hops = depth;
            if (depth == node.minHops()) {
                resultsFrom = to;
            }
            for (int at = from; at < to; at += Column.CAPACITY) {
                expand(near, at, Math.min(Column.CAPACITY, to - at), depth);
                if (nodes.size() > FOUND_MAX) {
                    return false;
                }
            }
            from = to;
        }
        return true;
    }

    private void expand(EntityColumn near, int from, int size, int depth) {
        frontier.reset(size);
        for (int i = 0; i < size; i++) {
            frontier.set(i, type(from + i), ordinal(from + i), EntityColumn.NO_RECORD);
        }
        for (Node.Step step : node.steps()) {
            int type = types.indexOf(step.farType());
            try (GraphView.Expansion expansion =
                    budget.view.expand(step.lane().identity(), step.direction(), frontier, size)) {
                while (expansion.next(found)) {
                    budget.examined(found.size);
                    for (int i = 0; i < found.size; i++) {
                        int row = row(from + found.inputRows[i]);
                        int ordinal = found.neighbours[i];
                        int before = nodes.size();
                        nodes.add(key(row, type, ordinal));
                        boolean isStart = nodes.size() == before
                                && near.ordinals[row] == ordinal
                                && near.types[row] == step.farType();
                        if (isStart && cycles[row] == 0) {
                            cycles[row] = depth;
                        }
                    }
                }
            }
        }
    }

    /** The number of the first node that is far enough; those of all later numbers are, too. */
    int resultsFrom() {
        return resultsFrom;
    }

    int size() {
        return nodes.size();
    }

    /** How far away the node is; not less than {@code least}, which is that of a node with a smaller number. */
    int hops(int number, int least) {
        int distance = least;
        while (distance < hops && starts[distance + 1] <= number) {
            distance++;
        }
        return distance;
    }

    /** The length of the shortest cycle through a row's node, if it is known. */
    int cycle(int row) {
        return cycles[row];
    }

    /** Whether a row's node is a result because edges lead back to it. */
    boolean comesBack(int row) {
        return node.minHops() > 0 && cycles[row] >= node.minHops();
    }

    int row(int number) {
        return (int) (nodes.key(number) >>> (TYPE_BITS + Integer.SIZE));
    }

    int type(int number) {
        return types.get((int) (nodes.key(number) >>> Integer.SIZE) & ((1 << TYPE_BITS) - 1));
    }

    int ordinal(int number) {
        return (int) nodes.key(number);
    }

    private static long key(int row, int type, int ordinal) {
        return (long) row << (TYPE_BITS + Integer.SIZE) | (long) type << Integer.SIZE | ordinal;
    }
}
