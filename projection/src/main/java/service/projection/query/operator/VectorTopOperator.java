package service.projection.query.operator;

import java.util.Map;
import service.core.batch.Column;
import service.core.schema.VectorMetric;
import service.core.value.HeapBytes;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * Keeps the rows that may be among the first of an order by {@code nearest}, best first: it drops a row when so many
 * rows are certainly nearer that it cannot be wanted. The sort after it decides among the kept rows by their exact
 * similarities. A row without a similarity comes last, and is kept until there are enough others.
 *
 * <p>It keeps the best {@link LowerBounds}, as many as rows are wanted.
 */
public final class VectorTopOperator extends Operator {
    /** For more rows the order is not worth keeping. */
    public static final int WANTED_MAX = 1 << 16;

    private final ExecutionBudget budget;
    private final int slot;
    private final BoundedVectors vectors;
    private final LowerBounds best;

    /** By row of a batch, what its similarity is at most; NaN without a vector. */
    private final double[] highs;

    private final int wanted;
    private final int[] live;
    private final int[] rows;
    private final OutputOperators.Slice slice;
    private final Operator next;

    /**
     * What is sought.
     *
     * @param slot of the entities
     * @param properties the identity of the property by type
     * @param sought the vector
     * @param wanted the number of first rows, at most {@link #WANTED_MAX}
     */
    public record Sought(int slot, Map<Integer, Integer> properties, VectorMetric metric, float[] sought, int wanted) {}

    public VectorTopOperator(Sought sought, Downstream down) {
        this.budget = down.budget();
        budget.charge(LowerBounds.bytes(sought.wanted) + HeapBytes.array(Column.CAPACITY, Double.BYTES));
        this.slot = sought.slot;
        this.vectors = new BoundedVectors(budget, sought.properties, sought.metric, sought.sought);
        this.highs = new double[Column.CAPACITY];
        this.wanted = sought.wanted;
        this.best = new LowerBounds(sought.wanted);
        this.live = down.slots();
        this.rows = budget.rowNumbers();
        this.slice = new OutputOperators.Slice(down);
        this.next = down.next();
    }

    @Override
    public boolean push(Batch batch) {
        if (wanted == 0) {
            return false;
        }
        vectors.begin(batch.slot(slot), batch.size);
        for (int row = 0; row < batch.size; row++) {
            highs[row] = high(row);
        }
        // By what is known after the whole batch.
        double least = best.least();
        int n = 0;
        for (int row = 0; row < batch.size; row++) {
            rows[n] = row;
            n += highs[row] >= least || (Double.isNaN(highs[row]) && !best.isFull()) ? 1 : 0;
        }
        // Those that are kept are counted where their similarity is worked out.
        budget.examined(batch.size - n);
        if (n == batch.size) {
            return next.push(batch);
        }
        return n == 0 || next.push(slice.of(batch, rows, n, live));
    }

    private double high(int row) {
        return switch (vectors.of(row, best.least())) {
            case NOTHING -> Double.NaN;
            case VECTOR -> Double.POSITIVE_INFINITY;
            case BOUNDS -> {
                best.add(vectors.low(), vectors.high());
                yield vectors.high();
            }
        };
    }

    @Override
    public void finish() {
        next.finish();
    }
}
