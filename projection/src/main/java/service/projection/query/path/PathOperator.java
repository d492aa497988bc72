package service.projection.query.path;

import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.ValueColumn;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.gq.plan.Walk;
import service.projection.query.operator.BlockOperators;
import service.projection.query.operator.Cutoff;
import service.projection.query.operator.Downstream;
import service.projection.query.operator.Operator;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * Paths from each row: a row for each path that the mode of the walk allows. With both ends bound it looks for paths
 * between them.
 */
public final class PathOperator extends Operator implements PathSink {
    private static final String NAMED = "the traversal `";

    /** Rows that it pushes together while a TopN may learn of them that it needs no more. */
    private static final int CUT_ROWS = 64;

    private final ExecutionBudget budget;
    private final Node.Paths node;
    private final Walk walk;
    private final @Nullable StepRule rule;
    private final PathSearch search;
    private final Live live;
    private final int[] carried;
    private final Operator next;
    private final Batch out;
    private final Cutoff cutoff;
    private final int fullAt;

    /** For each row of {@link #out} the row that its search began with. */
    private final int[] rowsFrom;

    private int row;
    private int found;
    private final BlockOperators.@Nullable Marker marker;
    private @Nullable Batch batch;

    /** Whether the next operator needs no more rows in this run. */
    private boolean stopped;

    /** What is read of a path. */
    private record Live(boolean far, boolean path, boolean length, boolean cost) {
        static Live of(Node.Paths node, Downstream down) {
            Walk.Slots slots = node.walking().walk().slots();
            return new Live(
                    down.reads(node.far().newSlot()),
                    down.reads(slots.path()),
                    down.reads(slots.length()),
                    down.reads(slots.cost()));
        }
    }

    /**
     * @param rule null when every edge is a step
     * @param marker marks the outer rows that need no more rows; null outside of blocks that stop at the first match
     * @param cutoff of the costs of paths
     */
    public PathOperator(
            Node.Paths node,
            @Nullable StepRule rule,
            BlockOperators.@Nullable Marker marker,
            Cutoff cutoff,
            Downstream down) {
        this.budget = down.budget();
        this.node = node;
        this.walk = node.walking().walk();
        this.rule = rule;
        this.marker = marker;
        this.cutoff = cutoff;
        this.fullAt = marker != null ? 1 : cutoff.equals(Cutoff.NONE) ? Column.CAPACITY : CUT_ROWS;
        this.live = Live.of(node, down);
        Walk.Slots slots = walk.slots();
        this.carried = down.carriedSlots(node.far().newSlot(), slots.path(), slots.length(), slots.cost());
        this.next = down.next();
        this.out = down.batch();
        this.rowsFrom = budget.rowNumbers();
        this.search = switch (walk.mode()) {
            case SHORTEST, ALL_SHORTEST, CHEAPEST -> new BestSearch(budget, node.walking(), rule);
            case TRAIL, ACYCLIC -> new WalkSearch(budget, node.walking(), rule);
        };
        if (live.path) {
            out.put(slots.path(), budget.own(new ValueColumn()));
        }
        if (live.length) {
            out.put(slots.length(), budget.own(new LongColumn(LongColumn.Kind.INT)));
        }
        if (live.cost) {
            out.put(slots.cost(), budget.own(new DoubleColumn()));
        }
    }

    @Override
    public boolean push(Batch rows) {
        EntityColumn near = rows.slot(node.near());
        EntityColumn ends = node.far().bound() ? rows.slot(node.far().slot()) : null;
        batch = rows;
        clear();
        for (int r = 0; r < rows.size; r++) {
            if (near.isNull(r) || (ends != null && ends.isNull(r)) || isMarked(r)) {
                continue;
            }
            row = r;
            if (rule != null) {
                rule.begin(rows, r);
            }
            long start = Path.entity(near.types[r], near.ordinals[r]);
            long end = ends == null ? PathSearch.ANY : Path.entity(ends.types[r], ends.ordinals[r]);
            run(start, end);
            if (stopped) {
                return false;
            }
        }
        return flush();
    }

    private void run(long start, long end) {
        try {
            search.run(start, end, this);
        } catch (ServiceException e) {
            String message = String.valueOf(e.getMessage());
            if (e.code() != ErrorCode.RESOURCE_LIMIT || message.startsWith(NAMED)) {
                throw e;
            }
            throw new ServiceException(e.code(), NAMED + walk.origin().text() + "`: " + message, e.detail());
        }
    }

    private boolean isMarked(int r) {
        Batch rows = batch;
        return marker != null && rows != null && marker.isMarked(rows.tags[r]);
    }

    @Override
    public boolean readsPath() {
        return live.path;
    }

    @Override
    public boolean readsCost() {
        return live.cost || (live.path && walk.isCosted());
    }

    @Override
    public Cutoff cutoff() {
        return cutoff;
    }

    @Override
    public boolean isEnd(int type) {
        return node.far().types().contains(type);
    }

    @Override
    public boolean take(long far, int length, double cost, @Nullable Path path, long times) {
        Walk.Slots slots = walk.slots();
        // Paths that are only counted cost as much of the limit as paths that are made.
        budget.examined((int) Math.min(Integer.MAX_VALUE, times));
        for (long more = times; more > 0; more--) {
            budget.step();
            if (live.far) {
                out.own(node.far().slot()).set(found, (int) (far >>> 32), (int) far, EntityColumn.NO_RECORD);
            }
            if (live.path && path != null) {
                ValueColumn column = (ValueColumn) out.column(slots.path());
                column.makeRoom(found + 1);
                column.set(found, path.value(walk.isCosted() ? cost : null));
            }
            if (live.length) {
                LongColumn column = (LongColumn) out.column(slots.length());
                column.makeRoom(found + 1);
                column.values[found] = length;
            }
            if (live.cost) {
                DoubleColumn column = (DoubleColumn) out.column(slots.cost());
                column.makeRoom(found + 1);
                column.values[found] = cost;
            }
            rowsFrom[found++] = row;
            if (found == fullAt && (!flush() || isMarked(row))) {
                return false;
            }
        }
        return true;
    }

    private void clear() {
        found = 0;
        Walk.Slots slots = walk.slots();
        out.clear(carried);
        if (live.far) {
            out.own(node.far().slot()).reset(0);
        }
        if (live.path) {
            out.column(slots.path()).reset(0);
        }
        if (live.length) {
            out.column(slots.length()).reset(0);
        }
        if (live.cost) {
            out.column(slots.cost()).reset(0);
        }
    }

    private boolean flush() {
        Batch from = batch;
        if (found > 0 && from != null) {
            out.append(from, rowsFrom, found, carried);
            stopped = !next.push(out);
        } else {
            stopped = false;
        }
        clear();
        return !stopped;
    }

    @Override
    public void finish() {
        stopped = false;
        next.finish();
    }
}
