package service.projection.query.kernel;

import java.util.Arrays;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.gq.plan.Expression.ComparisonOperator;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** The six comparisons. With a constant on one side, each operator has its own loop. */
public final class CompareKernels {
    private CompareKernels() {}

    public static Kernel of(ExecutionBudget budget, ComparisonOperator operator, Kernel left, Kernel right) {
        if (left instanceof LeafKernels.Constant && !(right instanceof LeafKernels.Constant)) {
            return of(budget, operator.mirror(), right, left);
        }
        if (right instanceof LeafKernels.Constant constant && !constant.column.isNull(0)) {
            return new WithConstant(budget, operator, left, constant.column);
        }
        return new General(budget, operator, left, right);
    }

    static boolean holds(ComparisonOperator operator, int order) {
        return switch (operator) {
            case EQUAL -> order == 0;
            case NOT_EQUAL -> order != 0;
            case LESS -> order < 0;
            case LESS_OR_EQUAL -> order <= 0;
            case GREATER -> order > 0;
            case GREATER_OR_EQUAL -> order >= 0;
        };
    }

    /** Equality of lists and records, item by item. */
    static final class OfItems extends Kernel {
        private final ExecutionBudget budget;
        private final boolean wanted;
        private final Kernel left;
        private final Kernel right;
        private final BoolColumn result;

        /** @param equal whether equal rows are true; otherwise unequal ones are */
        OfItems(ExecutionBudget budget, boolean equal, Kernel left, Kernel right) {
            super(left, right);
            this.budget = budget;
            this.wanted = equal;
            this.left = left;
            this.right = right;
            this.result = budget.own(new BoolColumn());
        }

        @Override
        public BoolColumn eval(Batch batch) {
            Column a = left.eval(batch);
            Column b = right.eval(batch);
            result.reset(batch.size);
            for (int row = 0; row < batch.size; row++) {
                Value one = ColumnValues.value(a, row);
                budget.steps(one instanceof Value.ListOf list ? 1 + list.items().size() : 1);
                Boolean equal = ValueOrder.equality(one, ColumnValues.value(b, row));
                if (equal == null) {
                    result.setNull(row);
                } else {
                    result.values[row] = equal == wanted;
                }
            }
            return result;
        }
    }

    /** Compares two columns row by row. */
    private static final class General extends Kernel {
        private final ComparisonOperator operator;
        private final Kernel left;
        private final Kernel right;
        private final BoolColumn result;

        General(ExecutionBudget budget, ComparisonOperator operator, Kernel left, Kernel right) {
            super(left, right);
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
                result.values[row] = !result.isNull(row) && holds(operator, ColumnValues.compare(a, row, b, row));
            }
            return result;
        }
    }

    /** Compares a column with one value that is not null. */
    private static final class WithConstant extends Kernel {
        private final ComparisonOperator operator;
        private final Kernel left;
        private final Column constant;
        private final BoolColumn result;

        WithConstant(ExecutionBudget budget, ComparisonOperator operator, Kernel left, Column constant) {
            super(left);
            this.result = budget.own(new BoolColumn());
            this.operator = operator;
            this.left = left;
            this.constant = constant;
        }

        @Override
        public BoolColumn eval(Batch batch) {
            Column column = left.eval(batch);
            result.reset(batch.size);
            result.addNulls(column);
            switch (column) {
                case LongColumn c when constant instanceof LongColumn k && k.kind == c.kind -> longs(c, k, batch.size);
                case DoubleColumn c
                when constant instanceof DoubleColumn k -> doubles(c.values, k.values[0], batch.size);
                case TextColumn c when constant instanceof TextColumn k && isEquality() -> texts(c, k, batch.size);
                default -> others(column, batch.size);
            }
            return result;
        }

        private boolean isEquality() {
            return operator == ComparisonOperator.EQUAL || operator == ComparisonOperator.NOT_EQUAL;
        }

        private void longs(LongColumn column, LongColumn constant, int size) {
            long[] values = column.values;
            boolean[] out = result.values;
            // Flipping the sign bit turns the unsigned order into the signed one.
            long flip = column.kind == LongColumn.Kind.UINT ? Long.MIN_VALUE : 0;
            long k = constant.values[0] ^ flip;
            switch (operator) {
                case EQUAL -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = (values[i] ^ flip) == k;
                    }
                }
                case NOT_EQUAL -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = (values[i] ^ flip) != k;
                    }
                }
                case LESS -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = (values[i] ^ flip) < k;
                    }
                }
                case LESS_OR_EQUAL -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = (values[i] ^ flip) <= k;
                    }
                }
                case GREATER -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = (values[i] ^ flip) > k;
                    }
                }
                case GREATER_OR_EQUAL -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = (values[i] ^ flip) >= k;
                    }
                }
            }
        }

        private void doubles(double[] values, double k, int size) {
            boolean[] out = result.values;
            switch (operator) {
                case EQUAL -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = values[i] == k;
                    }
                }
                case NOT_EQUAL -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = values[i] != k;
                    }
                }
                case LESS -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = values[i] < k;
                    }
                }
                case LESS_OR_EQUAL -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = values[i] <= k;
                    }
                }
                case GREATER -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = values[i] > k;
                    }
                }
                case GREATER_OR_EQUAL -> {
                    for (int i = 0; i < size; i++) {
                        out[i] = values[i] >= k;
                    }
                }
            }
        }

        /** Compares UTF-8 bytes for equality, lengths first, since most unequal texts differ in length. */
        private void texts(TextColumn column, TextColumn constant, int size) {
            boolean wanted = operator == ComparisonOperator.EQUAL;
            byte[] k = constant.bytes;
            int length = constant.lengths[0];
            int kStart = constant.starts[0];
            boolean nulls = column.hasNulls();
            for (int i = 0; i < size; i++) {
                if (nulls && column.isNull(i)) {
                    continue;
                }
                int start = column.starts[i];
                boolean equal = column.lengths[i] == length
                        && Arrays.equals(column.bytes, start, start + length, k, kStart, kStart + length);
                result.values[i] = equal == wanted;
            }
        }

        private void others(Column column, int size) {
            boolean nulls = column.hasNulls();
            for (int i = 0; i < size; i++) {
                if (!nulls || !column.isNull(i)) {
                    result.values[i] = holds(operator, ColumnValues.compare(column, i, constant, 0));
                }
            }
        }
    }
}
