package service.projection.query.kernel;

import java.util.List;
import service.core.batch.Column;
import service.core.batch.ValueColumn;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** Makes records and reads their fields. */
final class RecordKernels {
    private RecordKernels() {}

    /**
     * Charges for a part of a value that is being made. The value is charged for as a whole afterwards; one that has
     * the same long list in many parts is given up before it has been walked over.
     *
     * @return the bytes charged
     */
    static long chargePart(ExecutionBudget budget, Column column, Value part) {
        if (!(column instanceof ValueColumn)) {
            return 0;
        }
        long bytes = HeapBytes.of(part);
        budget.charge(bytes);
        return bytes;
    }

    /** {@code {a: e, b: e}}. */
    static final class Make extends Kernel {
        private final ExecutionBudget budget;
        private final List<String> names;
        private final Kernel[] values;
        private final ValueColumn result;

        Make(ExecutionBudget budget, List<String> names, List<Kernel> values) {
            super(values.toArray(Kernel[]::new));
            this.budget = budget;
            this.names = names;
            this.values = values.toArray(Kernel[]::new);
            this.result = budget.own(new ValueColumn());
        }

        @Override
        public Column eval(Batch batch) {
            Column[] columns = new Column[values.length];
            for (int i = 0; i < columns.length; i++) {
                columns[i] = values[i].eval(batch);
            }
            result.reset(batch.size);
            for (int row = 0; row < batch.size; row++) {
                budget.steps(columns.length);
                Value[] fields = new Value[columns.length];
                long parts = 0;
                for (int i = 0; i < fields.length; i++) {
                    fields[i] = ColumnValues.value(columns[i], row);
                    parts += chargePart(budget, columns[i], fields[i]);
                }
                result.set(row, new Value.Struct(names, List.of(fields)));
                budget.release(parts);
            }
            return result;
        }
    }

    /** {@code record.name}. */
    static final class Field extends Kernel {
        private final Kernel record;
        private final String name;
        private final Column result;

        Field(Kernel record, String name, Column result) {
            super(record);
            this.record = record;
            this.name = name;
            this.result = result;
        }

        @Override
        public Column eval(Batch batch) {
            Column records = record.eval(batch);
            result.reset(batch.size);
            for (int row = 0; row < batch.size; row++) {
                Value of = ColumnValues.value(records, row);
                ColumnValues.set(result, row, of instanceof Value.Struct fields ? fields.get(name) : Value.NULL);
            }
            return result;
        }
    }
}
