package service.projection.query.operator;

import java.util.Arrays;
import java.util.List;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.port.QueryExecutor;
import service.core.value.HeapBytes;
import service.projection.query.kernel.Kernel;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** The last operators of a stage: projection, distinct, conditions, skip and limit, and the caller's sink. */
public final class OutputOperators {
    private OutputOperators() {}

    public static final class Project extends Operator {
        private final Kernel[] kernels;
        private final int[] live;
        private final Operator next;
        private final Batch out;

        public Project(Kernel[] kernels, Downstream down) {
            this.kernels = kernels;
            this.live = down.slots();
            this.next = down.next();
            this.out = down.batch();
            this.out.computed = new Column[kernels.length];
        }

        @Override
        public boolean push(Batch batch) {
            for (int i = 0; i < kernels.length; i++) {
                out.computed[i] = kernels[i].eval(batch);
            }
            out.share(batch, live);
            return next.push(out);
        }

        @Override
        public void finish() {
            next.finish();
        }
    }

    /** Makes computed columns the variables of the next stage. */
    public static final class Stage extends Operator {
        private final List<Integer> slots;
        private final int[] kept;
        private final Operator next;
        private final Batch out;

        /**
         * @param slots one for each of the first computed columns; −1 for one that is not read
         * @param kept slots that stay as they are
         */
        public Stage(List<Integer> slots, int[] kept, Downstream down) {
            this.slots = slots;
            this.kept = kept;
            this.next = down.next();
            this.out = down.batch();
        }

        @Override
        public boolean push(Batch batch) {
            for (int i = 0; i < slots.size(); i++) {
                if (slots.get(i) >= 0) {
                    out.put(slots.get(i), batch.computed[i]);
                }
            }
            out.share(batch, kept);
            return next.push(out);
        }

        @Override
        public void finish() {
            next.finish();
        }
    }

    /** Keeps the rows for which computed columns are true. */
    public static final class Having extends Operator {
        private final List<Integer> columns;
        private final int[] live;
        private final Operator next;
        private final Slice slice;
        private final int[] rows;

        /** @param columns boolean ones */
        public Having(List<Integer> columns, Downstream down) {
            this.rows = down.budget().rowNumbers();
            this.columns = columns;
            this.live = down.slots();
            this.next = down.next();
            this.slice = new Slice(down);
        }

        @Override
        public boolean push(Batch batch) {
            int n = 0;
            for (int row = 0; row < batch.size; row++) {
                boolean isTrue = true;
                for (int column : columns) {
                    BoolColumn test = (BoolColumn) batch.computed[column];
                    isTrue &= test.isTrue(row);
                }
                rows[n] = row;
                n += isTrue ? 1 : 0;
            }
            return n == 0 || next.push(slice.of(batch, rows, n, live));
        }

        @Override
        public void finish() {
            next.finish();
        }
    }

    /** Skip and limit in each group of rows, in the order in which the rows come. */
    public static final class LimitPer extends Operator {
        private final ExecutionBudget budget;
        private final List<Integer> columns;
        private final RowNumbers numbers;
        private final Column[] groupColumns;
        private final long skip;
        private final long end;
        private final int[] live;
        private final Operator next;
        private final Slice slice;
        private final int[] groups;
        private final int[] rows;

        /** For each group, its rows so far. */
        private long[] seen = new long[Column.CAPACITY];

        /**
         * @param columns computed ones, whose values make the groups
         * @param limit −1 for none
         */
        public LimitPer(List<Integer> columns, long skip, long limit, Downstream down) {
            this.budget = down.budget();
            budget.charge(HeapBytes.array(seen.length, Long.BYTES));
            this.rows = budget.rowNumbers();
            this.groups = budget.rowNumbers();
            this.numbers = new RowNumbers(budget, columns.size());
            this.groupColumns = new Column[columns.size()];
            this.columns = columns;
            this.skip = skip;
            this.end = limit < 0 || skip > Long.MAX_VALUE - limit ? Long.MAX_VALUE : skip + limit;
            this.live = down.slots();
            this.next = down.next();
            this.slice = new Slice(down);
        }

        @Override
        public boolean push(Batch batch) {
            for (int i = 0; i < groupColumns.length; i++) {
                groupColumns[i] = batch.computed[columns.get(i)];
            }
            numbers.number(groupColumns, batch.size, groups);
            int n = 0;
            for (int row = 0; row < batch.size; row++) {
                long before = count(groups[row]);
                rows[n] = row;
                n += before >= skip && before < end ? 1 : 0;
            }
            return n == 0 || next.push(slice.of(batch, rows, n, live));
        }

        /** Counts a row; returns the rows of the group before it. */
        private long count(int group) {
            if (group >= seen.length) {
                int before = seen.length;
                int grown = HeapBytes.room(group + 1);
                budget.charge(HeapBytes.array(grown, Long.BYTES));
                seen = Arrays.copyOf(seen, grown);
                budget.release(HeapBytes.array(before, Long.BYTES));
            }
            return seen[group]++;
        }

        @Override
        public void finish() {
            next.finish();
        }
    }

    public static final class Distinct extends Operator {
        private final RowNumbers numbers;
        private final int[] live;
        private final Operator next;
        private final Slice slice;
        private final int[] numberOfRow;
        private final int[] rows;
        private int seen;

        public Distinct(int columns, Downstream down) {
            ExecutionBudget budget = down.budget();
            this.rows = budget.rowNumbers();
            this.numberOfRow = budget.rowNumbers();
            this.numbers = new RowNumbers(budget, columns);
            this.live = down.slots();
            this.next = down.next();
            this.slice = new Slice(down);
        }

        @Override
        public boolean push(Batch batch) {
            int n = 0;
            numbers.number(batch.computed, batch.size, numberOfRow);
            for (int row = 0; row < batch.size; row++) {
                if (numberOfRow[row] == seen) {
                    seen++;
                    rows[n++] = row;
                }
            }
            if (n == batch.size) {
                return next.push(batch);
            }
            return n == 0 || next.push(slice.of(batch, rows, n, live));
        }

        @Override
        public void finish() {
            next.finish();
        }
    }

    public static final class Limit extends Operator {
        private final int[] live;
        private final Operator next;
        private final Slice slice;
        private final int[] rows;
        private long skip;
        private long left;

        /** @param limit −1 for none */
        public Limit(long skip, long limit, Downstream down) {
            this.rows = down.budget().rowNumbers();
            this.skip = skip;
            this.left = limit < 0 ? Long.MAX_VALUE : limit;
            this.live = down.slots();
            this.next = down.next();
            this.slice = new Slice(down);
        }

        @Override
        public boolean push(Batch batch) {
            if (left == 0) {
                return false;
            }
            int from = (int) Math.min(skip, batch.size);
            skip -= from;
            int n = (int) Math.min(left, batch.size - from);
            if (n == 0) {
                return true;
            }
            left -= n;
            if (n == batch.size) {
                return next.push(batch) && left > 0;
            }
            for (int i = 0; i < n; i++) {
                rows[i] = from + i;
            }
            return next.push(slice.of(batch, rows, n, live)) && left > 0;
        }

        @Override
        public void finish() {
            next.finish();
        }
    }

    /** Copies selected rows of a batch, slots and computed columns, to another batch. */
    static final class Slice {
        private final ExecutionBudget budget;
        private final Batch out;

        Slice(Downstream down) {
            budget = down.budget();
            out = down.batch();
        }

        Batch of(Batch from, int[] rows, int n, int[] live) {
            if (out.computed.length != from.computed.length) {
                out.computed = Arrays.stream(from.computed)
                        .map(column -> ColumnValues.forCopies(budget, column))
                        .toArray(Column[]::new);
            }
            out.clear(live);
            out.append(from, rows, n, live);
            for (int c = 0; c < from.computed.length; c++) {
                out.computed[c].reset(n);
                Batch.gather(from.computed[c], rows, n, out.computed[c], 0);
            }
            return out;
        }
    }

    public static final class ToSink extends Operator {
        private final ExecutionBudget budget;
        private final int columns;
        private final QueryExecutor.Sink sink;
        private final QueryExecutor.Kept kept;

        public ToSink(ExecutionBudget budget, int columns, QueryExecutor.Sink sink) {
            this.budget = budget;
            this.columns = columns;
            this.sink = sink;
            this.kept = budget.keeper();
        }

        @Override
        public boolean push(Batch batch) {
            budget.returned(batch.size);
            Column[] result =
                    batch.computed.length == columns ? batch.computed : Arrays.copyOf(batch.computed, columns);
            sink.batch(budget.view, result, batch.size, kept);
            budget.check();
            return true;
        }

        @Override
        public void finish() {}
    }
}
