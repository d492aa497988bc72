package service.projection.query.operator;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.batch.LongColumn;
import service.core.port.GraphView;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.OrdinalSet;

/**
 * A range of hops: a breadth-first search per source, or, while they find little, one level of all sources of a batch
 * after the other ({@link ManyHops}). Each node is visited, and so expanded, at most once; the first visit is at the
 * shortest distance. Visited nodes are kept by type in the order of their levels, so the cost of a search is
 * proportional to the nodes and edges it reads. A search returns the node it starts from at distance 0 if that is
 * allowed, else at the length of the shortest cycle through it ({@link ShortestCycle}, where edges have no direction).
 */
public final class HopOperator extends Operator {
    /** Rows of a batch from which searches run together. */
    private static final int TOGETHER_MIN = 8;

    private static final int NEVER = Integer.MAX_VALUE;

    private final ExecutionBudget budget;
    private final Node.Hops node;
    private final int[] carried;
    private final boolean farLive;

    /** Receives the number of hops; null when it is not read. */
    private final @Nullable LongColumn length;

    private final Operator next;
    private final Batch out;

    /** Whether one node is enough of each search, because the next operator only marks rows that have a match. */
    private final boolean firstOnly;

    /** The row whose results are given, and how many results of these and other rows wait. */
    private int searched;

    private int emitted;
    private final Visited[] visited;
    private final EntityColumn frontier;
    private final ExpandBatch found;

    /** Null when edges have a direction: the search finds the start again at the end of its shortest cycle. */
    private final @Nullable ShortestCycle cycles;

    /** Edges of the shortest cycle through the start; 0 for none. */
    private int cycle;

    /** Null when edges have no direction, and when searches have found too much for it. */
    private @Nullable ManyHops many;

    private final int[] rows;

    private int searchedType = -1;
    private int searchedOrdinal = -1;

    /** The visited nodes of one type. */
    private static final class Visited {
        private final int type;
        private final boolean isResult;
        private final OrdinalSet nodes;

        /** The first of the numbers of the nodes of the current level, which end before {@code levelTo}. */
        private int levelFrom;

        private int levelTo;

        /** The number of the first node at the minimum distance. */
        private int resultsFrom = NEVER;

        /** For each number of hops the number of the first node that is so far away. */
        private int[] starts = new int[64];

        private int hops;

        Visited(ExecutionBudget budget, int type, boolean isResult) {
            this.type = type;
            this.isResult = isResult;
            this.nodes = new OrdinalSet(budget, type);
        }

        void clear() {
            nodes.clear();
            levelFrom = 0;
            levelTo = 0;
            resultsFrom = NEVER;
            hops = 0;
        }

        void begin(ExecutionBudget budget, int depth) {
            levelFrom = levelTo;
            levelTo = nodes.size();
            starts = budget.withRoom(starts, depth);
            starts[depth] = levelTo;
            hops = depth;
        }
    }

    public HopOperator(Node.Hops node, Downstream down) {
        this.budget = down.budget();
        this.found = budget.expandBatch(false);
        this.frontier = budget.own(new EntityColumn());
        this.node = node;
        this.carried = down.carriedSlots(node.far().newSlot(), node.length());
        this.farLive = down.reads(node.far().newSlot());
        this.next = down.next();
        this.firstOnly = next instanceof BlockOperators.Marker;
        this.out = down.batch();
        this.length = down.reads(node.length()) ? budget.own(new LongColumn(LongColumn.Kind.INT)) : null;
        if (length != null) {
            out.put(node.length(), length);
        }
        this.cycles = node.undirected() && node.minHops() > 0 ? new ShortestCycle(budget, node.steps()) : null;
        IntStream walked = node.steps().stream().flatMapToInt(step -> IntStream.of(step.nearType(), step.farType()));
        IntStream results = node.far().types().stream().mapToInt(Integer::intValue);
        this.visited = IntStream.concat(walked, results)
                .distinct()
                .mapToObj(type -> new Visited(budget, type, node.far().types().contains(type)))
                .toArray(Visited[]::new);
        List<Integer> types = Arrays.stream(visited).map(each -> each.type).toList();
        this.many = node.undirected() ? null : new ManyHops(budget, node, types);
        this.rows = budget.rowNumbers();
    }

    @Override
    public boolean push(Batch batch) {
        EntityColumn near = batch.slot(node.near());
        clearOut();
        emitted = 0;
        ManyHops together = many;
        if (together != null && batch.size >= TOGETHER_MIN) {
            if (together.search(near, batch.size)) {
                return emit(batch, together);
            }
            many = null;
        }
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
        return emitted == 0 || emitRows(batch, emitted);
    }

    private void search(int type, int ordinal) {
        searchedType = type;
        searchedOrdinal = ordinal;
        cycle = 0;
        for (Visited each : visited) {
            each.clear();
            each.resultsFrom = node.minHops() == 0 ? 0 : NEVER;
            if (each.type == type) {
                each.nodes.add(ordinal);
            }
        }
        for (int depth = 1; depth <= node.maxHops() && !isEnough() && beginLevel(depth); depth++) {
            for (Visited near : visited) {
                for (int from = near.levelFrom; from < near.levelTo; from += Column.CAPACITY) {
                    expand(near, from, Math.min(Column.CAPACITY, near.levelTo - from), depth);
                }
            }
        }
        if (cycles != null && !isEnough() && node.far().types().contains(type)) {
            cycle = Math.max(0, cycles.length(type, ordinal, node.maxHops()));
        }
    }

    /** Whether a result is known where one is enough. */
    private boolean isEnough() {
        for (Visited each : visited) {
            if (firstOnly && each.isResult && each.resultsFrom < each.nodes.size()) {
                return true;
            }
        }
        return false;
    }

    /** Makes the nodes found by the previous level the current level; false when there are none. */
    private boolean beginLevel(int depth) {
        boolean any = false;
        for (Visited each : visited) {
            each.begin(budget, depth);
            any |= each.levelFrom < each.levelTo;
            if (depth == node.minHops()) {
                each.resultsFrom = each.levelTo;
            }
        }
        return any;
    }

    private void expand(Visited near, int from, int size, int depth) {
        frontier.reset(size);
        for (int i = 0; i < size; i++) {
            frontier.set(i, near.type, near.nodes.get(from + i), EntityColumn.NO_RECORD);
        }
        for (Node.Step step : node.steps()) {
            if (step.nearType() != near.type) {
                continue;
            }
            Visited far = visited(step.farType());
            try (GraphView.Expansion expansion =
                    budget.view.expand(step.lane().identity(), step.direction(), frontier, size)) {
                while (expansion.next(found)) {
                    budget.examined(found.size);
                    discover(far, depth);
                }
            }
        }
    }

    private Visited visited(int type) {
        for (Visited each : visited) {
            if (each.type == type) {
                return each;
            }
        }
        throw new IllegalArgumentException("no step leads to type " + type);
    }

    private void discover(Visited far, int depth) {
        for (int i = 0; i < found.size; i++) {
            int ordinal = found.neighbours[i];
            boolean isKnown = !far.nodes.add(ordinal);
            if (isKnown && cycle == 0 && ordinal == searchedOrdinal && far.type == searchedType && cycles == null) {
                cycle = depth;
            }
        }
    }

    private boolean emit(Batch batch, ManyHops together) {
        EntityColumn near = batch.slot(node.near());
        int n = 0;
        for (int r = 0; r < batch.size; r++) {
            if (together.comesBack(r) && isResult(near.types[r])) {
                n = add(n, r, near.types[r], near.ordinals[r], together.cycle(r));
            }
        }
        if (n > 0 && !emitRows(batch, n)) {
            return false;
        }
        n = 0;
        int hops = 0;
        for (int i = together.resultsFrom(); i < together.size(); i++) {
            int type = together.type(i);
            hops = together.hops(i, hops);
            n = isResult(type) ? add(n, together.row(i), type, together.ordinal(i), hops) : n;
            if (n == Column.CAPACITY) {
                if (!emitRows(batch, n)) {
                    return false;
                }
                n = 0;
            }
        }
        return n == 0 || emitRows(batch, n);
    }

    private boolean isResult(int type) {
        return node.far().types().contains(type);
    }

    private int add(int n, int row, int type, int ordinal, int hops) {
        fill(n, type, ordinal, hops);
        rows[n] = row;
        return n + 1;
    }

    private void fill(int at, int type, int ordinal, int hops) {
        if (farLive) {
            out.own(node.far().slot()).set(at, type, ordinal, EntityColumn.NO_RECORD);
        }
        LongColumn into = length;
        if (into != null) {
            into.makeRoom(at + 1);
            into.values[at] = hops;
        }
    }

    private boolean emitRows(Batch batch, int n) {
        budget.steps(n);
        out.append(batch, rows, n, carried);
        return flush();
    }

    private boolean emit(Batch batch, int r) {
        searched = r;
        for (Visited each : visited) {
            if (!each.isResult) {
                continue;
            }
            if (cycle > 0
                    && cycle >= node.minHops()
                    && node.minHops() > 0
                    && each.type == searchedType
                    && !emit(each, batch, searchedOrdinal, cycle)) {
                return false;
            }
            int hops = 0;
            for (int i = each.resultsFrom; i < each.nodes.size(); i++) {
                while (hops < each.hops && each.starts[hops + 1] <= i) {
                    hops++;
                }
                if (!emit(each, batch, each.nodes.get(i), hops)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean emit(Visited far, Batch batch, int ordinal, int hops) {
        emitted = add(emitted, searched, far.type, ordinal, hops);
        if (emitted < Column.CAPACITY) {
            return true;
        }
        emitted = 0;
        return emitRows(batch, Column.CAPACITY);
    }

    private void clearOut() {
        out.clear(carried);
        if (farLive) {
            out.own(node.far().slot()).reset(0);
        }
        LongColumn into = length;
        if (into != null) {
            into.reset(0);
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
