package service.projection.query.operator;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.port.GraphView;
import service.core.schema.VectorMetric;
import service.core.value.HeapBytes;
import service.projection.query.vector.ExecutionBudget;
import service.projection.search.SimilarityBounds;

/**
 * Bounds of the similarity of entities to a sought vector, batch after batch: from vectors in memory where the view has
 * them, else from the records. One thread.
 */
final class BoundedVectors {
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
        budget.charge(2 * HeapBytes.array(sought.length, Float.BYTES));
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

    /** Works out what is known of the entity of a row. */
    Known of(int row) {
        Integer property = entities.isNull(row) ? null : properties.get(entities.types[row]);
        if (property == null) {
            return Known.NOTHING;
        }
        int ordinal = entities.ordinals[row];
        GraphView.Vectors kept = known;
        if (kept != null && entities.types[row] == type && kept.knows(ordinal)) {
            float[] items = kept.items(ordinal);
            return items == null ? Known.NOTHING : known(bounds.of(items, kept.square(ordinal)));
        }
        return budget.view.vector(property, entities, row, vector) ? known(bounds.of(vector)) : Known.NOTHING;
    }

    private Known known(boolean isBounded) {
        budget.bytes(Float.BYTES * vector.length);
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
