package service.projection.query.operator;

import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.projection.query.kernel.Kernel;
import service.projection.query.vector.Batch;
import service.projection.query.vector.BytesTable;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.KeyEncoder;
import service.projection.query.vector.RowStore;

/** Joins two pipelines: the right one runs first, to its end, and its rows are kept in memory. */
public final class JoinOperators {
    private JoinOperators() {}

    /** Keeps the rows of the right side and, when the join has keys, a hash table of them. */
    public static final class Build extends Operator {
        private final ExecutionBudget budget;
        private final RowStore rows;
        private final int[] live;
        private final Kernel[] keys;
        private final BytesTable table;
        private final boolean firstOnly;
        private final KeyEncoder encoder = new KeyEncoder();
        private int[] firstOfKey = new int[64];
        private int[] nextRow = new int[64];

        /**
         * @param live slots of the rows that are read after the join
         * @param firstOnly keep one row of each key
         */
        public Build(ExecutionBudget budget, int[] live, Kernel[] keys, boolean firstOnly) {
            this.firstOnly = firstOnly;
            this.budget = budget;
            this.rows = new RowStore(budget, live);
            this.live = live;
            this.keys = keys;
            this.table = new BytesTable(budget);
        }

        @Override
        public boolean push(Batch batch) {
            Column[] columns = new Column[keys.length];
            for (int k = 0; k < keys.length; k++) {
                columns[k] = keys[k].eval(batch);
            }
            for (int row = 0; row < batch.size; row++) {
                budget.step();
                if (keys.length == 0) {
                    rows.append(batch, row);
                } else if (encode(encoder, columns, row)) {
                    budget.bytes(encoder.length());
                    int known = table.size();
                    int key = table.add(encoder.bytes(), 0, encoder.length());
                    if (key == known || !firstOnly) {
                        link(key, rows.size());
                        rows.append(batch, row);
                    }
                }
                if (firstOnly && keys.length == 0) {
                    return false;
                }
            }
            return true;
        }

        /** Encodes the keys of a row; false when one is null, since null equals nothing. */
        static boolean encode(KeyEncoder encoder, Column[] columns, int row) {
            encoder.clear();
            for (Column column : columns) {
                if (column.isNull(row)) {
                    return false;
                }
                encoder.add(column, row);
            }
            return true;
        }

        /** Adds a row to the chain of its key. A link is a row number + 1; 0 ends the chain. */
        private void link(int key, int row) {
            firstOfKey = budget.withRoom(firstOfKey, key);
            nextRow = budget.withRoom(nextRow, row);
            nextRow[row] = firstOfKey[key];
            firstOfKey[key] = row + 1;
        }

        int first(KeyEncoder key) {
            int number = table.find(key.bytes(), 0, key.length());
            return number < 0 ? -1 : firstOfKey[number] - 1;
        }

        int next(int row) {
            return nextRow[row] - 1;
        }

        @Override
        public void finish() {}
    }

    /** Pairs each left row with each right row of equal key, or with every right row when there is no key. */
    public static final class Probe extends Operator {
        private final ExecutionBudget budget;
        private final Source right;
        private final Build build;
        private final Kernel[] keys;
        private final int[] leftLive;
        private final BlockOperators.@Nullable Marker marker;
        private final Operator next;
        private final Batch out;
        private final KeyEncoder encoder = new KeyEncoder();
        private final int[] one = new int[1];
        private boolean built;

        /**
         * @param keys none for a cross join
         * @param marker marks the outer rows that need no more rows; null outside of blocks that stop at the first
         *     match
         */
        public Probe(
                Source right, Build build, Kernel[] keys, BlockOperators.@Nullable Marker marker, Downstream down) {
            this.marker = marker;
            this.budget = down.budget();
            this.right = right;
            this.build = build;
            this.keys = keys;
            this.leftLive = down.carriedSlots(build.live);
            this.next = down.next();
            this.out = down.batch();
        }

        @Override
        public boolean push(Batch batch) {
            if (!built) {
                right.drive();
                built = true;
            }
            if (build.rows.size() == 0) {
                return false;
            }
            clear();
            Column[] columns = new Column[keys.length];
            for (int k = 0; k < keys.length; k++) {
                columns[k] = keys[k].eval(batch);
            }
            for (int row = 0; row < batch.size; row++) {
                if (!(keys.length == 0 ? cross(batch, row) : join(batch, columns, row))) {
                    return false;
                }
            }
            return flush();
        }

        private boolean cross(Batch batch, int row) {
            for (int r = 0; r < build.rows.size() && isWanted(batch, row); r++) {
                if (!emit(batch, row, r)) {
                    return false;
                }
            }
            return true;
        }

        private boolean join(Batch batch, Column[] columns, int row) {
            if (!Build.encode(encoder, columns, row)) {
                return true;
            }
            budget.bytes(encoder.length());
            for (int r = build.first(encoder); r >= 0 && isWanted(batch, row); r = build.next(r)) {
                if (!emit(batch, row, r)) {
                    return false;
                }
            }
            return true;
        }

        private boolean isWanted(Batch batch, int row) {
            return marker == null || !marker.marks[batch.tags[row]];
        }

        private boolean emit(Batch batch, int row, int right) {
            budget.step();
            build.rows.copyTo(right, out, out.size);
            one[0] = row;
            out.append(batch, one, 1, leftLive);
            return out.size < Column.CAPACITY || flush();
        }

        private boolean flush() {
            boolean more = out.size == 0 || next.push(out);
            clear();
            return more;
        }

        private void clear() {
            out.clear(leftLive);
            out.clear(build.live);
        }

        @Override
        public void finish() {
            next.finish();
        }
    }
}
