package service.projection.query.kernel;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.gq.plan.Expression.TextOperator;
import service.core.schema.TextPattern;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.projection.query.vector.Batch;
import service.projection.query.vector.BytesTable;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.KeyEncoder;
import service.projection.query.vector.Substring;

/** Text tests on UTF-8 bytes, and membership in lists. */
final class TextKernels {
    private TextKernels() {}

    static final class Test extends Kernel {
        private final ExecutionBudget budget;
        private final TextOperator operator;
        private final Kernel left;
        private final Kernel right;
        private final BoolColumn result;
        private final Substring substring = new Substring();
        private @Nullable TextPattern pattern;
        private long patternBytes;

        Test(ExecutionBudget budget, TextOperator operator, Kernel left, Kernel right) {
            super(left, right);
            this.budget = budget;
            this.result = budget.own(new BoolColumn());
            this.operator = operator;
            this.left = left;
            this.right = right;
        }

        @Override
        public BoolColumn eval(Batch batch) {
            Column a = left.eval(batch);
            Column b = right.eval(batch);
            result.reset(batch.size);
            result.addNulls(a);
            result.addNulls(b);
            for (int row = 0; row < batch.size; row++) {
                if (!result.isNull(row)) {
                    if (a instanceof ValueColumn lists) {
                        contains(lists.values[row], ColumnValues.value(b, row), row);
                    } else {
                        TextColumn texts = (TextColumn) a;
                        budget.bytes(texts.lengths[row]);
                        result.values[row] = holds(texts, (TextColumn) b, row);
                    }
                }
            }
            return result;
        }

        private void contains(Value list, Value item, int row) {
            List<Value> items = ((Value.ListOf) list).items();
            budget.steps(items.size());
            Membership.test(items, item, result, row);
        }

        private boolean holds(TextColumn text, TextColumn wanted, int row) {
            int start = text.starts[row];
            int length = text.lengths[row];
            int wantedStart = wanted.starts[row];
            int wantedLength = wanted.lengths[row];
            return switch (operator) {
                case STARTS_WITH ->
                    length >= wantedLength && same(text.bytes, start, wanted.bytes, wantedStart, wantedLength);
                case ENDS_WITH ->
                    length >= wantedLength
                            && same(text.bytes, start + length - wantedLength, wanted.bytes, wantedStart, wantedLength);
                case CONTAINS -> {
                    substring.prepare(wanted.bytes, wantedStart, wantedLength);
                    yield substring.isIn(text.bytes, start, length);
                }
                case MATCHES -> compiled(wanted.text(row)).isIn(text.text(row), budget::steps);
            };
        }

        private static boolean same(byte[] a, int at, byte[] b, int bAt, int length) {
            return Arrays.equals(a, at, at + length, b, bAt, bAt + length);
        }

        private TextPattern compiled(String text) {
            TextPattern known = pattern;
            if (known == null || !known.text().equals(text)) {
                budget.release(patternBytes);
                patternBytes = 0;
                known = TextPattern.ofQuery(text, this::charge);
                pattern = known;
            }
            return known;
        }

        private void charge(long bytes) {
            budget.check();
            budget.charge(bytes);
            patternBytes = bytes;
        }

        @Override
        boolean canFail() {
            return operator == TextOperator.MATCHES || super.canFail();
        }
    }

    /** The number of code points of a text, counted in its bytes. */
    static final class Length extends Kernel {
        private final ExecutionBudget budget;
        private final Kernel text;
        private final LongColumn result;

        Length(ExecutionBudget budget, Kernel text) {
            super(text);
            this.budget = budget;
            this.text = text;
            this.result = budget.own(new LongColumn(LongColumn.Kind.INT));
        }

        @Override
        public LongColumn eval(Batch batch) {
            TextColumn texts = (TextColumn) text.eval(batch);
            result.reset(batch.size);
            result.addNulls(texts);
            for (int row = 0; row < batch.size; row++) {
                if (!result.isNull(row)) {
                    budget.bytes(texts.lengths[row]);
                    result.values[row] = codePoints(texts.bytes, texts.starts[row], texts.lengths[row]);
                }
            }
            return result;
        }

        private static int codePoints(byte[] utf8, int from, int length) {
            int count = 0;
            for (int i = from; i < from + length; i++) {
                // Each code point has one byte that does not continue another.
                count += (utf8[i] & 0xC0) != 0x80 ? 1 : 0;
            }
            return count;
        }
    }

    /**
     * {@code left in list}. A list that many rows have in turn is looked up by hash, if its items are entities, texts
     * or integers.
     */
    static final class In extends Kernel {
        /** Rows with the same list after which it is worth a table. */
        private static final int ROWS = 4;

        private final ExecutionBudget budget;
        private final Kernel left;
        private final Kernel list;
        private final BoolColumn result;

        /** The list of the last row, and how many rows in turn have had it. */
        private @Nullable Value last;

        private int rows;
        private @Nullable Items table;

        In(ExecutionBudget budget, Kernel left, Kernel list) {
            super(left, list);
            this.result = budget.own(new BoolColumn());
            this.budget = budget;
            this.left = left;
            this.list = list;
        }

        @Override
        public BoolColumn eval(Batch batch) {
            Column values = left.eval(batch);
            ValueColumn lists = (ValueColumn) list.eval(batch);
            result.reset(batch.size);
            for (int row = 0; row < batch.size; row++) {
                if (lists.isNull(row)) {
                    result.setNull(row);
                    continue;
                }
                Value.ListOf all = (Value.ListOf) lists.values[row];
                take(all);
                List<Value> items = all.items();
                result.values[row] = false;
                if (items.isEmpty()) {
                    continue;
                }
                Items known = table;
                if (known == null || values.isNull(row)) {
                    budget.steps(items.size());
                    Membership.test(items, ColumnValues.value(values, row), result, row);
                    continue;
                }
                result.values[row] = known.have(values, row);
            }
            return result;
        }

        @SuppressWarnings("ReferenceEquality") // comparing the lists would cost more than the table saves
        private void take(Value.ListOf items) {
            rows = items == last ? rows + 1 : 0;
            last = items;
            if (rows == 0 && table != null) {
                table.release();
                table = null;
            }
            if (rows == ROWS
                    && items.items().size() > ROWS
                    && items.items().stream().allMatch(In::hasKey)) {
                Items made = new Items(budget);
                items.items().forEach(made::add);
                table = made;
            }
        }

        private static boolean hasKey(Value item) {
            return item instanceof Value.Entity || item instanceof Value.Text || item instanceof Value.Int;
        }
    }

    /** {@code left in} a constant list, looked up by hash. */
    static final class InConstant extends Kernel {
        private final Kernel left;
        private final Items items;
        private final boolean hasNull;
        private final boolean isEmpty;
        private final BoolColumn result;

        InConstant(ExecutionBudget budget, Kernel left, List<Value> list) {
            super(left);
            this.result = budget.own(new BoolColumn());
            this.left = left;
            this.items = new Items(budget);
            this.isEmpty = list.isEmpty();
            boolean nulls = false;
            for (Value item : list) {
                if (item instanceof Value.Null) {
                    nulls = true;
                } else {
                    items.add(item);
                }
            }
            this.hasNull = nulls;
        }

        @Override
        public BoolColumn eval(Batch batch) {
            Column values = left.eval(batch);
            result.reset(batch.size);
            for (int row = 0; row < batch.size; row++) {
                result.values[row] = false;
                if (isEmpty) {
                    continue;
                }
                if (values.isNull(row)) {
                    result.setNull(row);
                    continue;
                }
                boolean found = items.have(values, row);
                result.values[row] = found;
                if (!found && hasNull) {
                    result.setNull(row);
                }
            }
            return result;
        }
    }

    /** The items of a list by their keys. */
    private static final class Items {
        private final ExecutionBudget budget;
        private final BytesTable table;
        private final KeyEncoder encoder = new KeyEncoder();

        Items(ExecutionBudget budget) {
            this.budget = budget;
            this.table = new BytesTable(budget);
        }

        /** @param item not null */
        void add(Value item) {
            budget.step();
            byte[] key = KeyEncoder.bytes(item);
            table.add(key, 0, key.length);
        }

        /** Whether an item equals the value of a row, which is not null. */
        boolean have(Column values, int row) {
            encoder.clear();
            encoder.add(values, row);
            return table.find(encoder.bytes(), 0, encoder.length()) >= 0;
        }

        void release() {
            table.release();
        }
    }

    /** Whether an item equals one of a list; null when no item is equal and the list holds a null. */
    private static final class Membership {
        static void test(List<Value> items, Value wanted, BoolColumn into, int row) {
            boolean unknown = false;
            into.values[row] = false;
            for (Value item : items) {
                Boolean equal = ValueOrder.equality(item, wanted);
                if (Boolean.TRUE.equals(equal)) {
                    into.values[row] = true;
                    return;
                }
                unknown |= equal == null;
            }
            if (unknown) {
                into.setNull(row);
            }
        }
    }
}
