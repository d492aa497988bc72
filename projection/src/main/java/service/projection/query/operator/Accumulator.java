package service.projection.query.operator;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.gq.plan.Expression.Aggregate;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.value.ExactIntegers;
import service.core.value.HeapBytes;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.projection.query.kernel.ArithmeticKernels;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/**
 * Computes one aggregate for many groups, in arrays indexed by group number. Nulls are skipped. The memory of the
 * arrays and of what they hold is charged to the execution until {@link #release}.
 */
abstract class Accumulator {
    final ExecutionBudget budget;
    private int capacity;
    private long charged;

    Accumulator(ExecutionBudget budget) {
        this.budget = budget;
    }

    /** Makes room for groups {@code [0, groups)}. */
    final void ensure(int groups) {
        if (groups > capacity) {
            int grown = HeapBytes.room(groups);
            charge((long) grown * bytesPerGroup());
            grow(grown);
            uncharge((long) capacity * bytesPerGroup());
            capacity = grown;
        }
    }

    final void charge(long bytes) {
        budget.charge(bytes);
        charged += bytes;
    }

    final void uncharge(long bytes) {
        budget.release(bytes);
        charged -= bytes;
    }

    /** Returns the memory; the accumulator must not be used afterwards. */
    void release() {
        uncharge(charged);
    }

    abstract int bytesPerGroup();

    abstract void grow(int groups);

    /** Adds the value of each row {@code rows[i]}, i below n, to the group {@code groups[rows[i]]}. */
    abstract void add(int[] groups, Column values, int[] rows, int n);

    /** Gives the values that order the elements of the next {@link #add}, row by row. */
    void keys(Column[] keys) {}

    /** Writes a group's result into a row. */
    abstract void result(int group, Column into, int row);

    static Accumulator of(ExecutionBudget budget, Aggregate aggregate, Aggregation.Constants constants) {
        AggregateFunction function = aggregate.function();
        ArithmeticKernels.Fault fault = new ArithmeticKernels.Fault(budget, aggregate.origin(), new BitSet());
        Accumulator plain = switch (function) {
            case COUNT -> new Count(budget);
            case SUM -> new Sum(budget, false, fault);
            case AVG -> new Sum(budget, true, fault);
            case MIN -> new Extreme(budget, -1);
            case MAX -> new Extreme(budget, 1);
            case COLLECT ->
                new CollectAccumulator(budget, aggregate.refinement().order(), constants.limit());
            case STDEV -> new DeviationAccumulator(budget, fault);
            case MEDIAN -> new PercentileAccumulator(budget, 0.5);
            case PERCENTILE -> new PercentileAccumulator(budget, constants.fraction());
        };
        boolean indifferent = function == AggregateFunction.MIN || function == AggregateFunction.MAX;
        return aggregate.distinct() && !indifferent ? new Distinct(budget, plain) : plain;
    }

    static final class Count extends Accumulator {
        private long[] counts = {};

        Count(ExecutionBudget budget) {
            super(budget);
        }

        @Override
        int bytesPerGroup() {
            return Long.BYTES;
        }

        @Override
        void grow(int groups) {
            counts = Arrays.copyOf(counts, groups);
        }

        @Override
        void add(int[] groups, Column values, int[] rows, int n) {
            boolean nulls = values.hasNulls();
            for (int i = 0; i < n; i++) {
                if (!nulls || !values.isNull(rows[i])) {
                    counts[groups[rows[i]]]++;
                }
            }
        }

        /** Counts rows, nulls included. */
        void addRows(int[] groups, int n) {
            long[] into = counts;
            for (int i = 0; i < n; i++) {
                into[groups[i]]++;
            }
        }

        /** Counts rows by their weights. */
        void addRows(int[] groups, int[] weights, int n) {
            long[] into = counts;
            for (int i = 0; i < n; i++) {
                into[groups[i]] += weights[i];
            }
        }

        /** Counts rows of the only group. */
        void addRows(long n) {
            counts[0] += n;
        }

        @Override
        void result(int group, Column into, int row) {
            ((LongColumn) into).values[row] = counts[group];
        }
    }

    /**
     * Sum and average. Integers are added in 128 bits, so the order of the rows does not matter and an intermediate sum
     * may exceed 64 bits; only a total that does not fit I64, or where U64 takes part neither I64 nor U64, is an error.
     */
    private static final class Sum extends Accumulator {
        private final boolean average;
        private final ArithmeticKernels.Fault fault;
        private long[] low = {};
        private long[] high = {};
        private double[] reals = {};
        private long[] counts = {};

        Sum(ExecutionBudget budget, boolean average, ArithmeticKernels.Fault fault) {
            super(budget);
            this.average = average;
            this.fault = fault;
        }

        @Override
        int bytesPerGroup() {
            return 4 * Long.BYTES;
        }

        @Override
        void grow(int groups) {
            low = Arrays.copyOf(low, groups);
            high = Arrays.copyOf(high, groups);
            reals = Arrays.copyOf(reals, groups);
            counts = Arrays.copyOf(counts, groups);
        }

        @Override
        void add(int[] groups, Column values, int[] rows, int n) {
            boolean nulls = values.hasNulls();
            for (int i = 0; i < n; i++) {
                int row = rows[i];
                if (nulls && values.isNull(row)) {
                    continue;
                }
                int group = groups[row];
                counts[group]++;
                switch (values) {
                    case DoubleColumn c -> reals[group] += c.values[row];
                    case LongColumn c -> addExact(group, c.values[row], c.kind == LongColumn.Kind.UINT);
                    case ValueColumn c -> addExact(group, c.values[row]);
                    default -> throw new IllegalStateException("not a number: " + values.getClass());
                }
            }
        }

        private void addExact(int group, Value value) {
            switch (value) {
                case Value.Int v -> addExact(group, v.value(), false);
                case Value.UInt v -> addExact(group, v.bits(), true);
                default -> throw new IllegalStateException("not an integer: " + value);
            }
        }

        private void addExact(int group, long value, boolean unsigned) {
            long before = low[group];
            long sum = before + value;
            low[group] = sum;
            long carry = Long.compareUnsigned(sum, before) < 0 ? 1 : 0;
            high[group] += carry + (unsigned || value >= 0 ? 0 : -1);
        }

        private BigInteger exact(int group) {
            return BigInteger.valueOf(high[group]).shiftLeft(64).add(ExactIntegers.unsigned(low[group]));
        }

        @Override
        void result(int group, Column into, int row) {
            if (counts[group] == 0) {
                into.setNull(row);
            } else if (into instanceof DoubleColumn c) {
                double sum = reals[group] + exact(group).doubleValue();
                double value = average ? sum / counts[group] : sum;
                if (!Double.isFinite(value)) {
                    throw fault.at("overflow of floating-point arithmetic", null, 0);
                }
                c.values[row] = value;
            } else {
                PropertyType type = into instanceof LongColumn ? PropertyType.I64 : PropertyType.ANY_INTEGER;
                ColumnValues.set(into, row, ArithmeticKernels.fitting(exact(group), type, fault, null, 0));
            }
        }
    }

    /** Minimum and maximum. */
    private static final class Extreme extends Accumulator {
        private final int sign;
        private long[] longs = {};
        private double[] reals = {};
        private boolean[] known = {};
        private @Nullable Value[] others = {};
        private byte[][] texts = {};

        /** @param sign 1 for the maximum, −1 for the minimum */
        Extreme(ExecutionBudget budget, int sign) {
            super(budget);
            this.sign = sign;
        }

        @Override
        int bytesPerGroup() {
            return 2 * Long.BYTES + 1 + 2 * HeapBytes.REFERENCE;
        }

        @Override
        void grow(int groups) {
            longs = Arrays.copyOf(longs, groups);
            reals = Arrays.copyOf(reals, groups);
            known = Arrays.copyOf(known, groups);
            others = Arrays.copyOf(others, groups);
            texts = Arrays.copyOf(texts, groups);
        }

        @Override
        void add(int[] groups, Column values, int[] rows, int n) {
            boolean nulls = values.hasNulls();
            for (int i = 0; i < n; i++) {
                int row = rows[i];
                if (!nulls || !values.isNull(row)) {
                    int group = groups[row];
                    take(group, values, row, !known[group]);
                    known[group] = true;
                }
            }
        }

        private void take(int group, Column values, int row, boolean first) {
            switch (values) {
                case LongColumn c -> {
                    long value = c.values[row];
                    int order = ColumnValues.compareLongs(value, c.kind, longs[group], c.kind);
                    longs[group] = first || order * sign > 0 ? value : longs[group];
                }
                case DoubleColumn c -> {
                    double value = c.values[row];
                    int order = ValueOrder.compareDoubles(value, reals[group]);
                    reals[group] = first || order * sign > 0 ? value : reals[group];
                }
                case TextColumn c -> takeText(group, c, row, first);
                default -> {
                    Value value = ColumnValues.value(values, row);
                    Value best = others[group];
                    if (best == null || ValueOrder.compare(value, best) * sign > 0) {
                        charge(HeapBytes.of(value));
                        uncharge(best == null ? 0 : HeapBytes.of(best));
                        others[group] = value;
                    }
                }
            }
        }

        private void takeText(int group, TextColumn c, int row, boolean first) {
            int start = c.starts[row];
            int end = start + c.lengths[row];
            byte[] best = texts[group];
            if (!first && Arrays.compareUnsigned(c.bytes, start, end, best, 0, best.length) * sign <= 0) {
                return;
            }
            charge(HeapBytes.array(end - start, 1));
            uncharge(first ? 0 : HeapBytes.array(best.length, 1));
            texts[group] = Arrays.copyOfRange(c.bytes, start, end);
        }

        @Override
        void result(int group, Column into, int row) {
            if (!known[group]) {
                into.setNull(row);
                return;
            }
            switch (into) {
                case LongColumn c -> c.values[row] = longs[group];
                case DoubleColumn c -> c.values[row] = reals[group];
                case TextColumn c -> c.set(row, texts[group], 0, texts[group].length);
                default -> {
                    Value best = others[group];
                    ColumnValues.set(into, row, best == null ? Value.NULL : best);
                }
            }
        }
    }

    /** Passes each distinct value of a group on once. */
    private static final class Distinct extends Accumulator {
        private final Accumulator inner;
        private final NewValues seen;
        private final int[] fresh;

        Distinct(ExecutionBudget budget, Accumulator inner) {
            super(budget);
            this.fresh = budget.rowNumbers();
            this.inner = inner;
            this.seen = new NewValues(budget);
        }

        @Override
        int bytesPerGroup() {
            return 0;
        }

        @Override
        void grow(int groups) {
            inner.ensure(groups);
        }

        @Override
        void add(int[] groups, Column values, int[] rows, int n) {
            int kept = 0;
            for (int i = 0; i < n; i++) {
                int row = rows[i];
                if (!values.isNull(row) && seen.add(groups[row], values, row)) {
                    fresh[kept++] = row;
                }
            }
            inner.add(groups, values, fresh, kept);
        }

        @Override
        void keys(Column[] keys) {
            inner.keys(keys);
        }

        @Override
        void release() {
            inner.release();
            seen.release();
            super.release();
        }

        @Override
        void result(int group, Column into, int row) {
            inner.result(group, into, row);
        }
    }
}
