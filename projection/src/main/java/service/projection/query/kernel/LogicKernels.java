package service.projection.query.kernel;

import java.util.List;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.projection.query.vector.Batch;
import service.projection.query.vector.Batches;
import service.projection.query.vector.ExecutionBudget;

/** {@code and}, {@code or}, {@code not}, {@code is null} in three-valued logic. */
final class LogicKernels {
    private LogicKernels() {}

    /**
     * A conjunction, or by De Morgan's laws a disjunction. An operand that may fail is evaluated only for rows that the
     * previous operands did not decide.
     */
    static final class Connective extends Kernel {
        /** The value that decides a row: false for and, true for or. */
        private final boolean deciding;

        private final Kernel[] operands;
        private final BoolColumn result;
        private final Batch open;
        private final int[] liveSlots;
        private final int[] rows;

        Connective(boolean and, List<Kernel> operands, Batches batches, int[] liveSlots) {
            super(operands.toArray(Kernel[]::new));
            this.rows = batches.budget().rowNumbers();
            this.result = batches.budget().own(new BoolColumn());
            this.deciding = !and;
            this.operands = operands.toArray(Kernel[]::new);
            this.open = batches.make();
            this.liveSlots = liveSlots;
        }

        @Override
        public BoolColumn eval(Batch batch) {
            result.reset(batch.size);
            copyFirst(operands[0].test(batch), batch.size);
            for (int i = 1; i < operands.length; i++) {
                if (operands[i].canFail()) {
                    evalOpen(operands[i], batch);
                } else {
                    BoolColumn next = operands[i].test(batch);
                    for (int row = 0; row < batch.size; row++) {
                        combine(row, next, row);
                    }
                }
            }
            return result;
        }

        private void copyFirst(BoolColumn first, int size) {
            System.arraycopy(first.values, 0, result.values, 0, size);
            result.addNulls(first);
        }

        private void combine(int row, BoolColumn next, int nextRow) {
            boolean decided = !result.isNull(row) && result.values[row] == deciding;
            if (decided) {
                return;
            }
            if (next.isNull(nextRow)) {
                result.setNull(row);
            } else if (next.values[nextRow] == deciding) {
                result.clearNull(row);
                result.values[row] = deciding;
            }
        }

        private void evalOpen(Kernel operand, Batch batch) {
            int n = 0;
            for (int row = 0; row < batch.size; row++) {
                if (result.isNull(row) || result.values[row] != deciding) {
                    rows[n++] = row;
                }
            }
            if (n == 0) {
                return;
            }
            open.take(batch, rows, n, liveSlots);
            BoolColumn next = operand.test(open);
            for (int i = 0; i < n; i++) {
                combine(rows[i], next, i);
            }
        }
    }

    static final class Not extends Kernel {
        private final Kernel operand;
        private final BoolColumn result;

        Not(ExecutionBudget budget, Kernel operand) {
            super(operand);
            this.result = budget.own(new BoolColumn());
            this.operand = operand;
        }

        @Override
        public BoolColumn eval(Batch batch) {
            BoolColumn values = operand.test(batch);
            result.reset(batch.size);
            result.addNulls(values);
            for (int row = 0; row < batch.size; row++) {
                result.values[row] = !values.values[row];
            }
            return result;
        }
    }

    static final class IsNull extends Kernel {
        private final Kernel operand;
        private final boolean negated;
        private final BoolColumn result;

        IsNull(ExecutionBudget budget, Kernel operand, boolean negated) {
            super(operand);
            this.result = budget.own(new BoolColumn());
            this.operand = operand;
            this.negated = negated;
        }

        @Override
        public BoolColumn eval(Batch batch) {
            Column values = operand.eval(batch);
            result.reset(batch.size);
            for (int row = 0; row < batch.size; row++) {
                result.values[row] = values.isNull(row) != negated;
            }
            return result;
        }
    }
}
