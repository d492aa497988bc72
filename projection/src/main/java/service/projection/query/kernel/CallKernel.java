package service.projection.query.kernel;

import java.util.List;
import service.core.batch.Column;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.gq.function.CallContext;
import service.core.gq.function.Function;
import service.core.gq.function.ValueFault;
import service.core.gq.plan.Expression;
import service.core.value.Value;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** Calls a function of the language on boxed values, row by row. */
final class CallKernel extends Kernel {
    private final ExecutionBudget budget;
    private final Function function;
    private final CallContext context;
    private final Kernel[] arguments;
    private final Column result;
    private final ArithmeticKernels.Fault fault;

    CallKernel(
            ExecutionBudget budget,
            Expression.Call call,
            List<Kernel> arguments,
            Column result,
            ArithmeticKernels.Fault fault) {
        this.budget = budget;
        this.function = call.function();
        this.context = new CallContext(call.type(), budget.limits.nowMicros(), budget);
        this.arguments = arguments.toArray(Kernel[]::new);
        this.result = result;
        this.fault = fault;
    }

    @Override
    public Column eval(Batch batch) {
        Column[] columns = new Column[arguments.length];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = arguments[i].eval(batch);
        }
        result.reset(batch.size);
        Value[] values = new Value[columns.length];
        for (int row = 0; row < batch.size; row++) {
            countFirst(columns, row);
            for (int i = 0; i < values.length; i++) {
                values[i] = ColumnValues.value(columns[i], row);
            }
            try {
                ColumnValues.set(result, row, function.value(values, context));
            } catch (ValueFault e) {
                throw fault.at(e, batch, row);
            }
        }
        return result;
    }

    /** Counts the work that the first argument makes: most functions read it as a whole. */
    private void countFirst(Column[] arguments, int row) {
        if (arguments.length > 0 && arguments[0] instanceof TextColumn texts) {
            budget.bytes(texts.lengths[row]);
        } else if (arguments.length > 0
                && arguments[0] instanceof ValueColumn values
                && !values.isNull(row)
                && values.values[row] instanceof Value.ListOf list) {
            budget.steps(1 + list.items().size());
        }
    }

    @Override
    boolean canFail() {
        return true;
    }

    /** Builds lists whose items are expressions. */
    static final class ListKernel extends Kernel {
        private final ExecutionBudget budget;
        private final Kernel[] items;
        private final Column result;

        ListKernel(ExecutionBudget budget, List<Kernel> items, Column result) {
            super(items.toArray(Kernel[]::new));
            this.budget = budget;
            this.items = items.toArray(Kernel[]::new);
            this.result = result;
        }

        @Override
        public Column eval(Batch batch) {
            Column[] columns = new Column[items.length];
            for (int i = 0; i < columns.length; i++) {
                columns[i] = items[i].eval(batch);
            }
            result.reset(batch.size);
            for (int row = 0; row < batch.size; row++) {
                budget.steps(columns.length);
                Value[] values = new Value[columns.length];
                long parts = 0;
                for (int i = 0; i < values.length; i++) {
                    values[i] = ColumnValues.value(columns[i], row);
                    parts += RecordKernels.chargePart(budget, columns[i], values[i]);
                }
                ColumnValues.set(result, row, new Value.ListOf(List.of(values)));
                budget.release(parts);
            }
            return result;
        }
    }
}
