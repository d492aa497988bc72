package service.projection.query.kernel;

import java.util.Arrays;
import service.core.batch.Column;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.gq.function.ListFunctions;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** Items and slices of lists, and joined lists and texts. */
final class ListKernels {
    private ListKernels() {}

    /** {@code l[i]}. */
    static final class Element extends Kernel {
        private final ExecutionBudget budget;
        private final Kernel list;
        private final Kernel index;
        private final Column result;

        Element(ExecutionBudget budget, Kernel list, Kernel index, Column result) {
            super(list, index);
            this.budget = budget;
            this.list = list;
            this.index = index;
            this.result = result;
        }

        @Override
        public Column eval(Batch batch) {
            Column lists = list.eval(batch);
            Column indexes = index.eval(batch);
            result.reset(batch.size);
            budget.steps(batch.size);
            for (int row = 0; row < batch.size; row++) {
                Value item = ListFunctions.element(ColumnValues.value(lists, row), ColumnValues.value(indexes, row));
                ColumnValues.set(result, row, item);
            }
            return result;
        }
    }

    /** {@code l[a..b]}. */
    static final class Slice extends Kernel {
        private final ExecutionBudget budget;
        private final Kernel list;
        private final Kernel from;
        private final Kernel to;
        private final Column result;

        Slice(ExecutionBudget budget, Kernel list, Kernel from, Kernel to, Column result) {
            super(list, from, to);
            this.budget = budget;
            this.list = list;
            this.from = from;
            this.to = to;
            this.result = result;
        }

        @Override
        public Column eval(Batch batch) {
            Column lists = list.eval(batch);
            Column firsts = from.eval(batch);
            Column ends = to.eval(batch);
            result.reset(batch.size);
            for (int row = 0; row < batch.size; row++) {
                Value slice = ListFunctions.slice(
                        ColumnValues.value(lists, row), ColumnValues.value(firsts, row), ColumnValues.value(ends, row));
                budget.steps(
                        slice instanceof Value.ListOf made ? 1 + made.items().size() : 1);
                ColumnValues.set(result, row, slice);
            }
            return result;
        }
    }

    /** Two lists joined. */
    static final class JoinedLists extends Kernel {
        private final ExecutionBudget budget;
        private final Kernel left;
        private final Kernel right;
        private final Column result;

        JoinedLists(ExecutionBudget budget, Kernel left, Kernel right, Column result) {
            super(left, right);
            this.budget = budget;
            this.left = left;
            this.right = right;
            this.result = result;
        }

        @Override
        public Column eval(Batch batch) {
            ValueColumn a = (ValueColumn) left.eval(batch);
            ValueColumn b = (ValueColumn) right.eval(batch);
            result.reset(batch.size);
            result.addNulls(a);
            result.addNulls(b);
            for (int row = 0; row < batch.size; row++) {
                if (!result.isNull(row)) {
                    Value.ListOf one = (Value.ListOf) a.values[row];
                    Value.ListOf two = (Value.ListOf) b.values[row];
                    int size = Math.addExact(one.items().size(), two.items().size());
                    budget.steps(1 + size);
                    long copied = 2 * HeapBytes.references(size);
                    budget.charge(copied);
                    ColumnValues.set(result, row, ListFunctions.joined(one, two));
                    budget.release(copied);
                }
            }
            return result;
        }
    }

    /** Two texts joined. */
    static final class JoinedTexts extends Kernel {
        private final ExecutionBudget budget;
        private final Kernel left;
        private final Kernel right;
        private final TextColumn result;
        private byte[] joined = {};

        JoinedTexts(ExecutionBudget budget, Kernel left, Kernel right, TextColumn result) {
            super(left, right);
            this.budget = budget;
            this.left = left;
            this.right = right;
            this.result = result;
        }

        @Override
        public Column eval(Batch batch) {
            TextColumn a = (TextColumn) left.eval(batch);
            TextColumn b = (TextColumn) right.eval(batch);
            result.reset(batch.size);
            result.addNulls(a);
            result.addNulls(b);
            for (int row = 0; row < batch.size; row++) {
                if (!result.isNull(row)) {
                    int first = a.lengths[row];
                    int length = first + b.lengths[row];
                    makeRoom(length);
                    budget.bytes(length);
                    System.arraycopy(a.bytes, a.starts[row], joined, 0, first);
                    System.arraycopy(b.bytes, b.starts[row], joined, first, length - first);
                    result.set(row, joined, 0, length);
                }
            }
            return result;
        }

        private void makeRoom(int length) {
            if (joined.length < length) {
                int room = HeapBytes.room(length);
                budget.charge(HeapBytes.array(room, 1));
                budget.release(HeapBytes.array(joined.length, 1));
                joined = Arrays.copyOf(joined, room);
            }
        }
    }
}
