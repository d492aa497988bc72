package service.projection.query.kernel;

import java.math.BigInteger;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.ValueColumn;
import service.core.error.ServiceException;
import service.core.gq.function.ValueFault;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ArithmeticOperator;
import service.core.value.ExactIntegers;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.projection.query.plan.Expressions;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** Arithmetic on 64-bit integers and floats. An integer overflow and a float that is not finite are errors. */
public final class ArithmeticKernels {
    /** What the message of an overflow of integers begins with. */
    private ArithmeticKernels() {}

    /** Makes the run-time error R1, with its position in the source and the entity of the row. */
    public static final class Fault {
        private final ExecutionBudget budget;
        private final Expression.Origin origin;
        private final BitSet slots;

        public Fault(ExecutionBudget budget, Expression.Origin origin, BitSet slots) {
            this.budget = budget;
            this.origin = origin;
            this.slots = slots;
        }

        public ServiceException at(String what, @Nullable Batch batch, int row) {
            return at(what, null, batch, row);
        }

        ServiceException at(ValueFault fault, @Nullable Batch batch, int row) {
            return at(fault.code(), fault.what(), fault.why(), batch, row);
        }

        /**
         * Makes the error with a reason.
         *
         * @param why written last, after a colon; null for nothing
         */
        public ServiceException at(String what, @Nullable String why, @Nullable Batch batch, int row) {
            return at("R1", what, why, batch, row);
        }

        private ServiceException at(String code, String what, @Nullable String why, @Nullable Batch batch, int row) {
            StringBuilder message = new StringBuilder(what)
                    .append(" in `")
                    .append(origin.text())
                    .append('`');
            for (int slot : Expressions.array(slots)) {
                if (batch != null
                        && batch.has(slot)
                        && batch.column(slot) instanceof EntityColumn entities
                        && !entities.isNull(row)) {
                    int type = entities.types[row];
                    message.append(" for ")
                            .append(budget.view.catalog().requireType(type).name())
                            .append(" `")
                            .append(budget.view.id(type, entities.ordinals[row]))
                            .append('`');
                    break;
                }
            }
            return origin.fault(code, why == null ? message.toString() : message + ": " + why);
        }
    }

    static Kernel of(ArithmeticOperator operator, Kernel left, Kernel right, Column result, Fault fault) {
        return switch (result) {
            case DoubleColumn c -> new Reals(operator, left, right, c, fault);
            case LongColumn c -> new Integers(operator, left, right, c, fault);
            default -> new AnyIntegers(operator, left, right, (ValueColumn) result, fault);
        };
    }

    private abstract static class Binary extends Kernel {
        final ArithmeticOperator operator;
        private final Kernel left;
        private final Kernel right;
        private final Column result;
        final Fault fault;

        Binary(ArithmeticOperator operator, Kernel left, Kernel right, Column result, Fault fault) {
            this.operator = operator;
            this.left = left;
            this.right = right;
            this.result = result;
            this.fault = fault;
        }

        @Override
        public final Column eval(Batch batch) {
            Column a = left.eval(batch);
            Column b = right.eval(batch);
            result.reset(batch.size);
            result.addNulls(a);
            result.addNulls(b);
            for (int row = 0; row < batch.size; row++) {
                if (!result.isNull(row)) {
                    compute(a, b, row, batch);
                }
            }
            return result;
        }

        abstract void compute(Column a, Column b, int row, Batch batch);

        @Override
        boolean canFail() {
            return true;
        }
    }

    private static final class Integers extends Binary {
        private final LongColumn out;

        Integers(ArithmeticOperator operator, Kernel left, Kernel right, LongColumn result, Fault fault) {
            super(operator, left, right, result, fault);
            this.out = result;
        }

        @Override
        void compute(Column a, Column b, int row, Batch batch) {
            long l = ((LongColumn) a).values[row];
            long r = ((LongColumn) b).values[row];
            if (r == 0 && (operator == ArithmeticOperator.DIVIDE || operator == ArithmeticOperator.REMAINDER)) {
                throw fault.at("division by zero", batch, row);
            }
            try {
                out.values[row] = signed(operator, l, r);
            } catch (ArithmeticException e) {
                throw overflow(BigInteger.valueOf(l), BigInteger.valueOf(r), batch, row);
            }
        }

        private ServiceException overflow(BigInteger l, BigInteger r, Batch batch, int row) {
            return fault.at(
                    ExactIntegers.OVERFLOW, ExactIntegers.misfit(operator.exact(l, r), PropertyType.I64), batch, row);
        }
    }

    /**
     * Computes with a U64: integers that fit I64 or U64, boxed. Operands and results that fit I64, which are almost
     * all, are computed as such, all others with unbounded integers.
     */
    private static final class AnyIntegers extends Binary {
        private final ValueColumn out;

        AnyIntegers(ArithmeticOperator operator, Kernel left, Kernel right, ValueColumn result, Fault fault) {
            super(operator, left, right, result, fault);
            this.out = result;
        }

        @Override
        void compute(Column a, Column b, int row, Batch batch) {
            if (isZero(b, row) && (operator == ArithmeticOperator.DIVIDE || operator == ArithmeticOperator.REMAINDER)) {
                throw fault.at("division by zero", batch, row);
            }
            if (fitsI64(a, row) && fitsI64(b, row)) {
                try {
                    out.values[row] = new Value.Int(signed(operator, bits(a, row), bits(b, row)));
                    return;
                } catch (ArithmeticException e) {
                    // The result may still fit U64.
                }
            }
            BigInteger l = ExactIntegers.exact(ColumnValues.value(a, row));
            BigInteger r = ExactIntegers.exact(ColumnValues.value(b, row));
            out.values[row] = fitting(operator.exact(l, r), PropertyType.ANY_INTEGER, fault, batch, row);
        }

        private static boolean isZero(Column column, int row) {
            return bits(column, row) == 0;
        }

        private static boolean fitsI64(Column column, int row) {
            return switch (column) {
                case LongColumn c -> c.kind == LongColumn.Kind.INT || c.values[row] >= 0;
                case ValueColumn c -> c.values[row] instanceof Value.Int;
                default -> throw notInteger(column);
            };
        }

        private static long bits(Column column, int row) {
            return switch (column) {
                case LongColumn c -> c.values[row];
                case ValueColumn c ->
                    switch (c.values[row]) {
                        case Value.Int v -> v.value();
                        case Value.UInt v -> v.bits();
                        default -> throw notInteger(column);
                    };
                default -> throw notInteger(column);
            };
        }
    }

    /** The exact integer as a value of the type, or the error R1. */
    public static Value fitting(BigInteger exact, PropertyType type, Fault fault, @Nullable Batch batch, int row) {
        Value fitting = ExactIntegers.fitting(exact, type);
        if (fitting == null) {
            throw fault.at(ExactIntegers.OVERFLOW, ExactIntegers.misfit(exact, type), batch, row);
        }
        return fitting;
    }

    /** @throws ArithmeticException when the result does not fit */
    private static long signed(ArithmeticOperator operator, long left, long right) {
        return switch (operator) {
            case ADD -> Math.addExact(left, right);
            case SUBTRACT -> Math.subtractExact(left, right);
            case MULTIPLY -> Math.multiplyExact(left, right);
            case DIVIDE -> Math.divideExact(left, right);
            case REMAINDER -> left % right;
        };
    }

    private static IllegalStateException notInteger(Column column) {
        return new IllegalStateException("not an integer: " + column.getClass());
    }

    private static final class Reals extends Binary {
        private final DoubleColumn out;

        Reals(ArithmeticOperator operator, Kernel left, Kernel right, DoubleColumn result, Fault fault) {
            super(operator, left, right, result, fault);
            this.out = result;
        }

        @Override
        void compute(Column a, Column b, int row, Batch batch) {
            double l = real(a, row);
            double r = real(b, row);
            if (r == 0 && (operator == ArithmeticOperator.DIVIDE || operator == ArithmeticOperator.REMAINDER)) {
                throw fault.at("division by zero", batch, row);
            }
            double value = switch (operator) {
                case ADD -> l + r;
                case SUBTRACT -> l - r;
                case MULTIPLY -> l * r;
                case DIVIDE -> l / r;
                case REMAINDER -> l % r;
            };
            if (!Double.isFinite(value)) {
                throw fault.at("overflow of floating-point arithmetic", batch, row);
            }
            out.values[row] = value;
        }
    }

    static double real(Column column, int row) {
        return switch (column) {
            case DoubleColumn c -> c.values[row];
            case LongColumn c when c.kind == LongColumn.Kind.UINT -> ColumnValues.unsignedToDouble(c.values[row]);
            case LongColumn c -> c.values[row];
            case ValueColumn c -> ColumnValues.toDouble(c.values[row]);
            default -> throw new IllegalStateException("not a number: " + column.getClass());
        };
    }

    /** {@code -x}. */
    static final class Negate extends Kernel {
        private final Kernel operand;
        private final Column result;
        private final Fault fault;

        Negate(Kernel operand, Column result, Fault fault) {
            this.operand = operand;
            this.result = result;
            this.fault = fault;
        }

        @Override
        public Column eval(Batch batch) {
            Column values = operand.eval(batch);
            result.reset(batch.size);
            result.addNulls(values);
            for (int row = 0; row < batch.size; row++) {
                if (!result.isNull(row)) {
                    negate(values, row, batch);
                }
            }
            return result;
        }

        private void negate(Column values, int row, Batch batch) {
            if (result instanceof DoubleColumn reals) {
                reals.values[row] = -real(values, row);
                return;
            }
            if (result instanceof LongColumn into && ((LongColumn) values).values[row] != Long.MIN_VALUE) {
                into.values[row] = -((LongColumn) values).values[row];
                return;
            }
            PropertyType type = result instanceof LongColumn ? PropertyType.I64 : PropertyType.ANY_INTEGER;
            BigInteger negated =
                    ExactIntegers.exact(ColumnValues.value(values, row)).negate();
            ColumnValues.set(result, row, fitting(negated, type, fault, batch, row));
        }

        @Override
        boolean canFail() {
            return true;
        }
    }
}
