package service.projection.query.operator;

import java.util.Map;
import service.core.batch.EntityColumn;
import service.core.schema.VectorMetric;
import service.core.value.HeapBytes;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;
import service.projection.search.SimilarityBounds;

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
    private final Map<Integer, Integer> properties;
    private final SimilarityBounds bounds;
    private final float[] vector;

    private final LowerBounds best;
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
        budget.charge(LowerBounds.bytes(sought.wanted) + 2 * HeapBytes.array(sought.sought.length, Float.BYTES));
        this.slot = sought.slot;
        this.properties = sought.properties;
        this.bounds = new SimilarityBounds(sought.metric, sought.sought);
        this.vector = new float[sought.sought.length];
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
        EntityColumn entities = batch.slot(slot);
        int n = 0;
        for (int row = 0; row < batch.size; row++) {
            rows[n] = row;
            n += mayBeWanted(entities, row) ? 1 : 0;
        }
        // Those that are kept are counted where their similarity is worked out.
        budget.examined(batch.size - n);
        if (n == batch.size) {
            return next.push(batch);
        }
        return n == 0 || next.push(slice.of(batch, rows, n, live));
    }

    private boolean mayBeWanted(EntityColumn entities, int row) {
        Integer property = entities.isNull(row) ? null : properties.get(entities.types[row]);
        if (property == null || !budget.view.vector(property, entities, row, vector)) {
            return !best.isFull();
        }
        budget.bytes(Float.BYTES * vector.length);
        return !bounds.of(vector) || best.add(bounds.low(), bounds.high());
    }

    @Override
    public void finish() {
        next.finish();
    }
}
