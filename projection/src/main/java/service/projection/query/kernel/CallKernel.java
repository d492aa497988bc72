package service.projection.query.kernel;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import service.core.batch.Column;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.gq.plan.Expression.Function;
import service.core.value.CalendarUnit;
import service.core.value.ExactIntegers;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** Calls the functions of the language on boxed values, row by row: none of them is on a hot path. */
final class CallKernel extends Kernel {
    private final ExecutionBudget budget;
    private final Function function;
    private final Kernel[] arguments;
    private final Column result;
    private final ArithmeticKernels.Fault fault;

    CallKernel(
            ExecutionBudget budget,
            Function function,
            List<Kernel> arguments,
            Column result,
            ArithmeticKernels.Fault fault) {
        this.budget = budget;
        this.function = function;
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
        for (int row = 0; row < batch.size; row++) {
            if (columns.length > 0 && columns[0] instanceof TextColumn texts) {
                budget.bytes(texts.lengths[row]);
            }
            ColumnValues.set(result, row, apply(columns, row, batch));
        }
        return result;
    }

    private Value apply(Column[] columns, int row, Batch batch) {
        if (function == Function.COALESCE) {
            for (Column column : columns) {
                if (!column.isNull(row)) {
                    return ColumnValues.value(column, row);
                }
            }
            return Value.NULL;
        }
        for (Column column : columns) {
            if (column.isNull(row)) {
                return Value.NULL;
            }
        }
        Value value = ColumnValues.value(columns[0], row);
        return switch (function) {
            case NOW, COALESCE -> throw new IllegalStateException("handled before");
            case LOWER -> new Value.Text(text(value).toLowerCase(Locale.ROOT));
            case UPPER -> new Value.Text(text(value).toUpperCase(Locale.ROOT));
            case LENGTH -> length(value);
            case ABS -> abs(value, batch, row);
            case ROUND -> round(value);
            case DATE -> date(value, batch, row);
            case DATETIME -> dateTime(value, batch, row);
            case YEAR -> new Value.Int(day(value).getYear());
            case MONTH -> new Value.Int(day(value).getMonthValue());
            case DAY -> new Value.Int(day(value).getDayOfMonth());
            case DATE_DIFF -> new Value.Int(CalendarUnit.epochDay(value) - CalendarUnit.epochDay(second(columns, row)));
            case DATETIME_DIFF ->
                new Value.Int(CalendarUnit.epochMillis(value) - CalendarUnit.epochMillis(second(columns, row)));
            case TRUNCATE -> truncate(value, text(second(columns, row)), batch, row);
        };
    }

    private static Value second(Column[] columns, int row) {
        return ColumnValues.value(columns[1], row);
    }

    private Value truncate(Value moment, String unit, Batch batch, int row) {
        try {
            return CalendarUnit.truncate(moment, unit);
        } catch (IllegalArgumentException e) {
            throw fault.at(String.valueOf(e.getMessage()), batch, row);
        }
    }

    private static String text(Value value) {
        return ((Value.Text) value).value();
    }

    private static Value length(Value value) {
        return switch (value) {
            case Value.ListOf list -> new Value.Int(list.items().size());
            case Value.Vector vector -> new Value.Int(vector.items().length);
            default -> new Value.Int(text(value).codePointCount(0, text(value).length()));
        };
    }

    private Value abs(Value value, Batch batch, int row) {
        return switch (value) {
            case Value.Int v
            when v.value() == Long.MIN_VALUE ->
                ArithmeticKernels.fitting(
                        ExactIntegers.exact(v).negate(),
                        result instanceof LongColumn ? PropertyType.I64 : PropertyType.ANY_INTEGER,
                        fault,
                        batch,
                        row);
            case Value.Int v -> new Value.Int(Math.abs(v.value()));
            case Value.Real v -> new Value.Real(Math.abs(v.value()));
            default -> value;
        };
    }

    private static Value round(Value value) {
        return value instanceof Value.Real(double real)
                ? new Value.Real(
                        new BigDecimal(real).setScale(0, RoundingMode.HALF_UP).doubleValue())
                : value;
    }

    private static LocalDate day(Value value) {
        return LocalDate.ofEpochDay(CalendarUnit.epochDay(value));
    }

    private Value date(Value value, Batch batch, int row) {
        try {
            return CalendarUnit.date(value);
        } catch (IllegalArgumentException e) {
            throw fault.at("`" + CalendarUnit.shown(value) + "` is not a date", e.getMessage(), batch, row);
        }
    }

    private Value dateTime(Value value, Batch batch, int row) {
        try {
            return CalendarUnit.dateTime(value);
        } catch (IllegalArgumentException e) {
            throw fault.at("`" + CalendarUnit.shown(value) + "` is not a date-time", e.getMessage(), batch, row);
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
                for (int i = 0; i < values.length; i++) {
                    values[i] = ColumnValues.value(columns[i], row);
                }
                ColumnValues.set(result, row, new Value.ListOf(List.of(values)));
            }
            return result;
        }

        @Override
        boolean canFail() {
            for (Kernel item : items) {
                if (item.canFail()) {
                    return true;
                }
            }
            return false;
        }
    }
}
