package service.projection.query.operator;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.port.GraphView;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * A range of hops: a breadth-first search per source. Each node is visited, and so expanded, at most once; the first
 * visit is at the shortest distance. A bitmap per type says what was visited, and the list of visited nodes cleans it
 * afterwards, so a search costs what it touches. The start is never its own result, but for a loop on itself where one
 * hop will do.
 */
public final class HopOperator extends Operator {
    private final ExecutionBudget budget;
    private final Node.Hops node;
    private final Set<Integer> farTypes;
    private final int[] carried;
    private final boolean farLive;
    private final Operator next;
    private final Batch out;
    private final int[] row = new int[1];

    private final Map<Integer, long[]> visited = new HashMap<>();
    private final EntityColumn frontier = new EntityColumn();
    private final ExpandBatch found = new ExpandBatch();

    /** Visited nodes in the order of their discovery; the start is first. */
    private int[] types = new int[64];

    private int[] ordinals = new int[64];
    private int count;
    private int[] resultTypes = new int[64];
    private int[] resultOrdinals = new int[64];
    private int results;
    private int searchedType = -1;
    private int searchedOrdinal = -1;

    public HopOperator(
            ExecutionBudget budget, Node.Hops node, int[] carried, boolean farLive, int slotCount, Operator next) {
        this.budget = budget;
        this.node = node;
        this.farTypes = new HashSet<>(node.farTypes());
        this.carried = carried;
        this.farLive = farLive;
        this.next = next;
        this.out = new Batch(slotCount);
    }

    @Override
    public boolean push(Batch batch) {
        EntityColumn near = batch.slot(node.near());
        clearOut();
        for (int r = 0; r < batch.size; r++) {
            if (near.isNull(r)) {
                continue;
            }
            if (near.types[r] != searchedType || near.ordinals[r] != searchedOrdinal) {
                search(near.types[r], near.ordinals[r]);
            }
            if (!emit(batch, r)) {
                return false;
            }
        }
        return flush();
    }

    private void search(int type, int ordinal) {
        searchedType = type;
        searchedOrdinal = ordinal;
        count = 0;
        results = 0;
        visit(type, ordinal);
        int from = 0;
        for (int depth = 1; depth <= node.maxHops() && from < count; depth++) {
            int to = count;
            for (; from < to; from += frontierSize(from, to)) {
                expandFrontier(from, frontierSize(from, to), depth);
            }
        }
        for (int i = 0; i < count; i++) {
            budget.step();
            bitmap(types[i])[ordinals[i] >>> 6] = 0;
        }
    }

    private static int frontierSize(int from, int to) {
        return Math.min(Column.CAPACITY, to - from);
    }

    private void expandFrontier(int from, int size, int depth) {
        frontier.reset(size);
        for (int i = 0; i < size; i++) {
            frontier.set(i, types[from + i], ordinals[from + i], EntityColumn.NO_RECORD);
        }
        for (Node.Step step : node.steps()) {
            boolean fits = depth >= node.minHops() && farTypes.contains(step.farType());
            try (GraphView.Expansion expansion =
                    budget.view.expand(step.edgeType(), step.direction(), frontier, size)) {
                while (expansion.next(found)) {
                    budget.examined(found.size);
                    discover(step.farType(), fits, depth);
                }
            }
        }
    }

    private void discover(int farType, boolean fits, int depth) {
        long[] bits = bitmap(farType);
        for (int i = 0; i < found.size; i++) {
            int far = found.neighbours[i];
            if ((bits[far >>> 6] & 1L << far) == 0) {
                visit(farType, far);
                if (fits) {
                    addResult(farType, far);
                }
            } else if (fits && depth == 1 && farType == types[0] && far == ordinals[0]) {
                addSelf(farType, far);
            }
        }
    }

    /** A loop on the start; parallel loops and both directions count once. */
    private void addSelf(int type, int ordinal) {
        for (int i = 0; i < results; i++) {
            if (resultTypes[i] == type && resultOrdinals[i] == ordinal) {
                return;
            }
        }
        addResult(type, ordinal);
    }

    private void visit(int type, int ordinal) {
        bitmap(type)[ordinal >>> 6] |= 1L << ordinal;
        if (count == types.length) {
            budget.charge(8L * count);
            types = Arrays.copyOf(types, count * 2);
            ordinals = Arrays.copyOf(ordinals, count * 2);
        }
        types[count] = type;
        ordinals[count] = ordinal;
        count++;
    }

    private void addResult(int type, int ordinal) {
        if (results == resultTypes.length) {
            budget.charge(8L * results);
            resultTypes = Arrays.copyOf(resultTypes, results * 2);
            resultOrdinals = Arrays.copyOf(resultOrdinals, results * 2);
        }
        resultTypes[results] = type;
        resultOrdinals[results] = ordinal;
        results++;
    }

    private long[] bitmap(int type) {
        long[] known = visited.get(type);
        if (known == null) {
            int words = (budget.view.ordinalBound(type) >>> 6) + 1;
            budget.charge(8L * words);
            known = new long[words];
            visited.put(type, known);
        }
        return known;
    }

    private boolean emit(Batch batch, int r) {
        row[0] = r;
        for (int i = 0; i < results; i++) {
            budget.step();
            if (farLive) {
                out.own(node.far()).set(out.size, resultTypes[i], resultOrdinals[i], EntityColumn.NO_RECORD);
            }
            out.append(batch, row, 1, carried);
            if (out.size == Column.CAPACITY && !flush()) {
                return false;
            }
        }
        return true;
    }

    private void clearOut() {
        out.clear(carried);
        if (farLive) {
            out.own(node.far()).reset(0);
        }
    }

    private boolean flush() {
        boolean more = out.size == 0 || next.push(out);
        clearOut();
        return more;
    }

    @Override
    public void finish() {
        next.finish();
    }
}
