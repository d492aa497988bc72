package service.projection.query.operator;

import java.util.List;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.core.value.HeapBytes;
import service.projection.query.plan.Node;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.LongTable;

/**
 * The shortest cycle through a node along edges that may be walked in either direction, but each only once. A search
 * that visits each node once does not find it: it would walk back along the edge that it came by.
 *
 * <p><b>Idea.</b> A breadth-first search from the node gives each node that it finds the branch of its first step. An
 * edge between two nodes of different branches closes a cycle, whose length is the sum of their distances and one. No
 * shorter cycle is found by a later level, so the search ends with the first level that closes one, at about half the
 * length of the cycle.
 */
public final class ShortestCycle {
    /** No cycle within the bound. */
    public static final int NONE = -1;

    private final ExecutionBudget budget;
    private final List<Node.Step> steps;
    private final LongTable nodes;
    private final EntityColumn frontier;
    private final ExpandBatch found;

    /** For each node found, by its number, the number of the first node on its way. */
    private int[] branches = new int[Column.CAPACITY];

    /** Numbers of the nodes of the current level, which are {@code distance} steps from the start. */
    private int levelFrom;

    private int levelTo;
    private int distance;

    /** @param steps both directions of each edge type */
    public ShortestCycle(ExecutionBudget budget, List<Node.Step> steps) {
        budget.charge(HeapBytes.array(branches.length, Integer.BYTES));
        this.budget = budget;
        this.steps = steps;
        this.nodes = new LongTable(budget);
        this.frontier = budget.own(new EntityColumn());
        this.found = budget.expandBatch(false);
    }

    /**
     * The number of edges of the shortest cycle through a node; a self-loop is one.
     *
     * @param most greatest length that is asked for
     */
    public int length(int type, int ordinal, int most) {
        nodes.clear();
        nodes.add(key(type, ordinal));
        levelFrom = 0;
        levelTo = 1;
        for (distance = 0; levelFrom < levelTo && 2L * distance + 1 <= most; distance++) {
            int closed = closedByLevel();
            if (closed != NONE) {
                return closed <= most ? closed : NONE;
            }
            levelFrom = levelTo;
            levelTo = nodes.size();
        }
        return NONE;
    }

    /** Follows the edges of all nodes of the level; the length of the shortest cycle that one of them closes. */
    private int closedByLevel() {
        int least = NONE;
        for (int from = levelFrom; from < levelTo; from += Column.CAPACITY) {
            int size = Math.min(Column.CAPACITY, levelTo - from);
            frontier.reset(size);
            for (int i = 0; i < size; i++) {
                long key = nodes.key(from + i);
                frontier.set(i, (int) (key >>> Integer.SIZE), (int) key, EntityColumn.NO_RECORD);
            }
            for (Node.Step step : steps) {
                try (GraphView.Expansion expansion =
                        budget.view.expand(step.lane().identity(), step.direction(), frontier, size)) {
                    while (expansion.next(found)) {
                        budget.examined(found.size);
                        int closed = closedByBatch(step.farType(), from);
                        if (closed == 2 * distance + 1) {
                            return closed;
                        }
                        least = closed == NONE ? least : closed;
                    }
                }
            }
        }
        return least;
    }

    private int closedByBatch(int farType, int from) {
        int least = NONE;
        for (int i = 0; i < found.size; i++) {
            int near = from + found.inputRows[i];
            int known = nodes.size();
            int far = nodes.add(key(farType, found.neighbours[i]));
            if (far == known) {
                branch(far, distance == 0 ? far : branches[near]);
            } else if (distance == 0 ? far == 0 : far > 0 && far < levelTo && branches[far] != branches[near]) {
                return 2 * distance + 1;
            } else if (distance == 0 || (far >= levelTo && branches[far] != branches[near])) {
                least = 2 * distance + 2;
            }
        }
        return least;
    }

    private static long key(int type, int ordinal) {
        return (long) type << Integer.SIZE | ordinal;
    }

    private void branch(int node, int branch) {
        branches = budget.withRoom(branches, node);
        branches[node] = branch;
    }
}
