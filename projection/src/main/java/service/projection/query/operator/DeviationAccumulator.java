package service.projection.query.operator;

import java.util.Arrays;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.projection.query.kernel.ArithmeticKernels;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;

/**
 * The standard deviation of a sample, by Welford's method: the mean so far and the sum of the squares of the distances
 * from it, so that large values with small differences lose nothing. Null for fewer than two values.
 */
final class DeviationAccumulator extends Accumulator {
    private final ArithmeticKernels.Fault fault;
    private long[] counts = {};
    private double[] means = {};
    private double[] squares = {};

    DeviationAccumulator(ExecutionBudget budget, ArithmeticKernels.Fault fault) {
        super(budget);
        this.fault = fault;
    }

    @Override
    int bytesPerGroup() {
        return 3 * Long.BYTES;
    }

    @Override
    void grow(int groups) {
        counts = Arrays.copyOf(counts, groups);
        means = Arrays.copyOf(means, groups);
        squares = Arrays.copyOf(squares, groups);
    }

    @Override
    void add(int[] groups, Column values, int[] rows, int n) {
        for (int i = 0; i < n; i++) {
            int row = rows[i];
            if (!values.isNull(row)) {
                int group = groups[row];
                double value = ColumnValues.real(values, row);
                double distance = value - means[group];
                means[group] += distance / ++counts[group];
                squares[group] += distance * (value - means[group]);
            }
        }
    }

    @Override
    void result(int group, Column into, int row) {
        if (counts[group] < 2) {
            into.setNull(row);
            return;
        }
        double deviation = Math.sqrt(squares[group] / (counts[group] - 1));
        if (!Double.isFinite(deviation)) {
            throw fault.at("overflow of floating-point arithmetic", null, 0);
        }
        ((DoubleColumn) into).values[row] = deviation;
    }
}
