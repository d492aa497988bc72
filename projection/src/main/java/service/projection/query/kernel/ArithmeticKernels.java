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
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ArithmeticOperator;
import service.projection.query.plan.Expressions;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/** Arithmetic on 64-bit integers and floats. An integer overflow and a float that is not finite are errors. */
public final class ArithmeticKernels {
    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);

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
            StringBuilder message = new StringBuilder(what)
                    .append(" in `")
                    .append(origin.text())
                    .append('`');
            for (int slot : Expressions.array(slots)) {
                if (batch != null && batch.has(slot) && !batch.slot(slot).isNull(row)) {
                    EntityColumn entities = batch.slot(slot);
                    int type = entities.types[row];
                    message.append(" for ")
                            .append(budget.view.catalog().requireType(type).name())
                            .append(" `")
                            .append(budget.view.id(type, entities.ordinals[row]))
                            .append('`');
                    break;
                }
            }
            return origin.fault(message.toString());
        }
    }

    static Kernel of(ArithmeticOperator operator, Kernel left, Kernel right, Column result, Fault fault) {
        return switch (result) {
            case DoubleColumn c -> new Reals(operator, left, right, c, fault);
            case LongColumn c when c.kind == LongColumn.Kind.INT -> new Integers(operator, left, right, c, fault);
            default -> new Unsigned(operator, left, right, (LongColumn) result, fault);
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
            // Only the literal null has a boxed column: every row is null already.
            if (!(a instanceof ValueColumn) && !(b instanceof ValueColumn)) {
                for (int row = 0; row < batch.size; row++) {
                    if (!result.isNull(row)) {
                        compute(a, b, row, batch);
                    }
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
                out.values[row] = switch (operator) {
                    case ADD -> Math.addExact(l, r);
                    case SUBTRACT -> Math.subtractExact(l, r);
                    case MULTIPLY -> Math.multiplyExact(l, r);
                    case DIVIDE -> Math.divideExact(l, r);
                    case REMAINDER -> l % r;
                };
            } catch (ArithmeticException e) {
                throw fault.at("overflow of 64-bit arithmetic", batch, row);
            }
        }
    }

    /** Computes U64 with unbounded integers, then checks the range. Slow, since U64 arithmetic is rare. */
    private static final class Unsigned extends Binary {
        private final LongColumn out;

        Unsigned(ArithmeticOperator operator, Kernel left, Kernel right, LongColumn result, Fault fault) {
            super(operator, left, right, result, fault);
            this.out = result;
        }

        @Override
        void compute(Column a, Column b, int row, Batch batch) {
            BigInteger l = exact((LongColumn) a, row);
            BigInteger r = exact((LongColumn) b, row);
            if (r.signum() == 0
                    && (operator == ArithmeticOperator.DIVIDE || operator == ArithmeticOperator.REMAINDER)) {
                throw fault.at("division by zero", batch, row);
            }
            BigInteger value = switch (operator) {
                case ADD -> l.add(r);
                case SUBTRACT -> l.subtract(r);
                case MULTIPLY -> l.multiply(r);
                case DIVIDE -> l.divide(r);
                case REMAINDER -> l.remainder(r);
            };
            if (value.signum() < 0 || value.compareTo(TWO_64) >= 0) {
                throw fault.at("overflow of 64-bit arithmetic", batch, row);
            }
            out.values[row] = value.longValue();
        }

        private static BigInteger exact(LongColumn column, int row) {
            BigInteger signed = BigInteger.valueOf(column.values[row]);
            return column.kind == LongColumn.Kind.UINT && signed.signum() < 0 ? signed.add(TWO_64) : signed;
        }
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
            LongColumn from = (LongColumn) values;
            LongColumn into = (LongColumn) result;
            long bits = from.values[row];
            boolean signed = into.kind == LongColumn.Kind.INT;
            boolean fits;
            if (from.kind == LongColumn.Kind.UINT) {
                fits = bits == 0 || (signed && (bits > 0 || bits == Long.MIN_VALUE));
            } else {
                fits = bits != Long.MIN_VALUE && (signed || bits <= 0);
            }
            if (!fits) {
                throw fault.at("overflow of 64-bit arithmetic", batch, row);
            }
            into.values[row] = -bits;
        }

        @Override
        boolean canFail() {
            return true;
        }
    }
}
