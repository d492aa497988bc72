package service.projection.query.operator;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.port.QueryExecutor;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.Batches;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.IntSort;
import service.projection.query.vector.Ordinals;

/** The sources of rows: scans, index ranges, ids, and the outer rows of a block. */
public final class Sources {
    private Sources() {}

    /** Pushes the rows of a cursor; false when the operator needs no more. */
    private static boolean drain(ExecutionBudget budget, GraphView.Scan scan, Batch batch, int slot, Operator first) {
        EntityColumn column = batch.own(slot);
        while (true) {
            int size = scan.next(column);
            if (size == 0) {
                return true;
            }
            budget.examined(size);
            batch.size = size;
            batch.version++;
            if (!first.push(batch)) {
                return false;
            }
        }
    }

    /** Rows that the caller gives, in the slots from 0 on. */
    public record Given(ExecutionBudget budget, QueryExecutor.GivenRows rows, int slotCount, Operator first)
            implements Source {
        @Override
        public void drive() {
            Batch batch = new Batch(budget, slotCount);
            int width = rows.expressions().size();
            for (int slot = 0; slot < width; slot++) {
                batch.put(slot, budget.own(ColumnValues.columnFor(QueryExecutor.GivenRows.type(rows, slot))));
            }
            boolean more = true;
            for (int start = 0; more && start < rows.size(); start += Column.CAPACITY) {
                batch.size = Math.min(Column.CAPACITY, rows.size() - start);
                batch.version++;
                for (int slot = 0; slot < width; slot++) {
                    Column column = batch.column(slot);
                    column.reset(batch.size);
                    for (int row = 0; row < batch.size; row++) {
                        ColumnValues.set(column, row, rows.value(slot, start + row));
                    }
                }
                more = first.push(batch);
            }
            first.finish();
        }
    }

    public record Scan(ExecutionBudget budget, Node.Scan node, int slotCount, Operator first) implements Source {
        @Override
        public void drive() {
            Batch batch = new Batch(budget, slotCount);
            boolean more = true;
            for (int i = 0; more && i < node.types().size(); i++) {
                try (GraphView.Scan scan = budget.view.scan(node.types().get(i))) {
                    more = drain(budget, scan, batch, node.slot(), first);
                }
            }
            first.finish();
        }
    }

    public record Index(ExecutionBudget budget, Node.Index node, List<IndexRange> ranges, int slotCount, Operator first)
            implements Source {
        @Override
        public void drive() {
            Batch batch = new Batch(budget, slotCount);
            boolean more = true;
            for (int i = 0; more && i < ranges.size(); i++) {
                try (GraphView.Scan scan = budget.view.seek(ranges.get(i))) {
                    more = drain(budget, scan, batch, node.slot(), first);
                }
            }
            first.finish();
        }
    }

    /**
     * An index range of unknown size. Reading a record found by an index costs several times as much as reading it in a
     * scan. So the source first collects postings, up to the number at which a scan is cheaper; beyond that it runs the
     * scan with the filter. Entities are pushed in the order of their ordinals, which is the order of their records.
     */
    public record IndexOrScan(
            ExecutionBudget budget,
            Node.Index node,
            List<IndexRange> ranges,
            int slotCount,
            Operator first,
            Source scan)
            implements Source {
        @Override
        public void drive() {
            int most = node.postingsMax();
            int[] ordinals = postings(most);
            if (ordinals.length > most) {
                scan.drive();
                return;
            }
            give(budget, node.slot(), node.type(), IntSort.ascending(ordinals, budget), slotCount, first);
            first.finish();
        }

        /** The ordinals in the ranges; stops at most one batch after {@code most}. */
        private int[] postings(int most) {
            Ordinals ordinals = new Ordinals(budget);
            EntityColumn found = budget.own(new EntityColumn());
            for (int i = 0; i < ranges.size() && ordinals.size() <= most; i++) {
                try (GraphView.Scan scan = budget.view.seek(ranges.get(i))) {
                    for (int n = scan.next(found); n > 0; n = ordinals.size() > most ? 0 : scan.next(found)) {
                        budget.examined(n);
                        ordinals.add(found.ordinals, n);
                    }
                }
            }
            return ordinals.toArray();
        }
    }

    /** Pushes entities of a type, until the operator needs no more. */
    static void give(ExecutionBudget budget, int slot, int type, int[] ordinals, int slotCount, Operator first) {
        Collector collector = new Collector(budget, new Batch(budget, slotCount), slot, first);
        for (int ordinal : ordinals) {
            if (!collector.add(type, ordinal)) {
                return;
            }
        }
        collector.flush();
    }

    /** Drives several sources, one after the other, into one pipeline. */
    public record Union(List<Source> sources, Gather gather, Operator first) implements Source {
        @Override
        public void drive() {
            for (int i = 0; i < sources.size() && gather.more; i++) {
                sources.get(i).drive();
            }
            first.finish();
        }
    }

    /** Passes rows of every source on, and ignores their finish: {@link Union} finishes once. */
    public static final class Gather extends Operator {
        private final Operator next;
        private boolean more = true;

        public Gather(Operator next) {
            this.next = next;
        }

        @Override
        public boolean push(Batch batch) {
            more = more && next.push(batch);
            return more;
        }

        @Override
        public void finish() {}
    }

    public record IdLookup(ExecutionBudget budget, Node.IdLookup node, List<String> ids, int slotCount, Operator first)
            implements Source {
        @Override
        public void drive() {
            Collector collector = new Collector(budget, new Batch(budget, slotCount), node.slot(), first);
            for (int type : node.types()) {
                for (String id : ids) {
                    budget.examined(1);
                    if (!collector.addById(type, id)) {
                        first.finish();
                        return;
                    }
                }
            }
            collector.flush();
            first.finish();
        }
    }

    public record EdgesAt(
            ExecutionBudget budget, Node.EdgesAt node, List<String> nodeIds, int slotCount, Operator first)
            implements Source {
        @Override
        public void drive() {
            Collector collector = new Collector(budget, new Batch(budget, slotCount), node.slot(), first);
            EntityType.EdgeType type =
                    (EntityType.EdgeType) budget.view.catalog().requireType(node.edgeType());
            for (EdgeEnd.NodeName nodeType : type.near(node.direction()).types()) {
                for (String id : nodeIds) {
                    int ordinal = budget.view.lookup(nodeType.identity(), id);
                    if (ordinal >= 0 && !give(collector, nodeType.identity(), ordinal)) {
                        first.finish();
                        return;
                    }
                }
            }
            collector.flush();
            first.finish();
        }

        private boolean give(Collector collector, int nodeType, int ordinal) {
            for (int edge : budget.view.edgesOf(node.edgeType(), node.direction(), nodeType, ordinal)) {
                budget.examined(1);
                if (!collector.add(node.edgeType(), edge)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Pushes one row of live counts, without a scan. */
    public record Counts(ExecutionBudget budget, Node.Counts node, int slotCount, Operator first) implements Source {
        @Override
        public void drive() {
            long total = 0;
            for (int type : node.types()) {
                total += budget.view.count(type);
            }
            Batch batch = new Batch(budget, slotCount);
            batch.computed = new Column[node.columns()];
            for (int i = 0; i < node.columns(); i++) {
                LongColumn column = new LongColumn(LongColumn.Kind.INT);
                column.reset(1);
                column.values[0] = total;
                batch.computed[i] = column;
            }
            batch.size = 1;
            first.push(batch);
            first.finish();
        }
    }

    /** Gathers single entities into batches. */
    private static final class Collector {
        private final ExecutionBudget budget;
        private final Batch batch;
        private final EntityColumn column;
        private final Operator first;

        Collector(ExecutionBudget budget, Batch batch, int slot, Operator first) {
            budget.check();
            this.budget = budget;
            this.batch = batch;
            this.column = batch.own(slot);
            this.first = first;
        }

        /** Adds the entity with that id if it is live; false when the operators need no more. */
        boolean addById(int type, String id) {
            return !budget.view.lookup(type, id, column, batch.size) || added();
        }

        boolean add(int type, int ordinal) {
            column.set(batch.size, type, ordinal, EntityColumn.NO_RECORD);
            return added();
        }

        private boolean added() {
            batch.size++;
            return batch.size < Column.CAPACITY || flush();
        }

        boolean flush() {
            batch.version++;
            boolean more = batch.size == 0 || first.push(batch);
            column.reset(0);
            batch.size = 0;
            return more;
        }
    }

    /** Pushes one row without variables. */
    public static final class Unit implements Source {
        private final Batch batch;
        private final Operator next;

        public Unit(Batches batches, Operator next) {
            this.batch = batches.make();
            this.next = next;
        }

        @Override
        public void drive() {
            batch.size = 1;
            batch.version++;
            next.push(batch);
            next.finish();
        }
    }

    /** Pushes the outer rows of a block, each tagged with its index in the outer batch. */
    public static final class Outer {
        private final Batch batch;
        private final Operator first;
        private final int slotCount;
        private final @Nullable Spending spending;

        /** @param spending accumulates what the block takes; null when not measured */
        public Outer(Batches batches, Operator first, @Nullable Spending spending) {
            this.spending = spending;
            this.slotCount = batches.slotCount();
            this.batch = batches.make();
            this.first = first;
            batch.tags = batches.budget().rowNumbers();
            for (int i = 0; i < batch.tags.length; i++) {
                batch.tags[i] = i;
            }
        }

        /** Runs the block for the rows of a batch. */
        public void feed(Batch outer) {
            if (spending != null) {
                spending.begin();
            }
            for (int slot = 0; slot < slotCount; slot++) {
                if (outer.has(slot)) {
                    batch.put(slot, outer.column(slot));
                }
            }
            batch.size = outer.size;
            batch.version++;
            first.push(batch);
            first.finish();
            if (spending != null) {
                spending.end();
            }
        }
    }
}
