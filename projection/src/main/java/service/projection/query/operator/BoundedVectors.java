package service.projection.query.operator;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.port.GraphView;
import service.core.schema.VectorMetric;
import service.core.value.HeapBytes;
import service.core.value.RoundedVector;
import service.projection.query.vector.ExecutionBudget;
import service.projection.search.SimilarityBounds;

/**
 * Bounds of the similarity of entities to a sought vector, batch after batch: from vectors in memory where the view has
 * them, else from the records. Of vectors in memory it compares the rounded ones first, and the others of few. One
 * thread.
 */
final class BoundedVectors {
    /** Components that are compared in a step of work. */
    private static final int COMPARED_A_STEP = 16;

    private static final int ROUNDED_A_STEP = 64;

    private final ExecutionBudget budget;
    private final Map<Integer, Integer> properties;
    private final SimilarityBounds bounds;
    private final float[] vector;
    private EntityColumn entities;
    private int type = -1;
    private GraphView.@Nullable Vectors known;

    /** What is known of an entity. */
    enum Known {
        /** It has no vector. */
        NOTHING,
        /** Its similarity may be any. */
        VECTOR,
        /** Its similarity is between {@link #low} and {@link #high}. */
        BOUNDS
    }

    /** @param properties the identity of the compared property by type */
    BoundedVectors(ExecutionBudget budget, Map<Integer, Integer> properties, VectorMetric metric, float[] sought) {
        budget.charge(SimilarityBounds.bytes(sought.length) + HeapBytes.array(sought.length, Float.BYTES));
        this.budget = budget;
        this.properties = properties;
        this.bounds = new SimilarityBounds(metric, sought);
        this.vector = new float[sought.length];
        this.entities = new EntityColumn();
    }

    /** Begins with entities, of which {@link #of} is asked next. */
    void begin(EntityColumn batch, int size) {
        entities = batch;
        known = null;
        for (int row = 0; row < size; row++) {
            Integer property = batch.isNull(row) ? null : properties.get(batch.types[row]);
            if (property != null) {
                type = batch.types[row];
                known = budget.view.vectors(type, property, batch, size);
                return;
            }
        }
    }

    /**
     * Works out what is known of the entity of a row.
     *
     * @param least bounds may be wide where the similarity is below this
     */
    Known of(int row, double least) {
        if (entities.isNull(row)) {
            return Known.NOTHING;
        }
        int ordinal = entities.ordinals[row];
        GraphView.Vectors kept = known;
        if (kept != null && entities.types[row] == type && kept.knows(ordinal)) {
            return of(kept, ordinal, least);
        }
        Integer property = properties.get(entities.types[row]);
        return property != null && budget.view.vector(property, entities, row, vector)
                ? compared(bounds.of(vector), COMPARED_A_STEP)
                : Known.NOTHING;
    }

    private Known of(GraphView.Vectors kept, int ordinal, double least) {
        RoundedVector rounded = kept.rounded(ordinal);
        if (rounded == null) {
            return Known.NOTHING;
        }
        double square = kept.square(ordinal);
        if (bounds.of(rounded, square) && bounds.high() < least) {
            return compared(true, ROUNDED_A_STEP);
        }
        return compared(bounds.of(Objects.requireNonNull(kept.items(ordinal)), square), COMPARED_A_STEP);
    }

    private Known compared(boolean isBounded, int componentsOfStep) {
        budget.steps(1 + vector.length / componentsOfStep);
        return isBounded ? Known.BOUNDS : Known.VECTOR;
    }

    /** After {@link Known#BOUNDS}. */
    double low() {
        return bounds.low();
    }

    /** After {@link Known#BOUNDS}. */
    double high() {
        return bounds.high();
    }
}
