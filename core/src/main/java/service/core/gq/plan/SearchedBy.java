package service.core.gq.plan;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.schema.AnalyzerName;
import service.core.schema.VectorMetric;

/**
 * How a search compares the values of a property.
 *
 * @param analyzer of texts; null for vectors
 * @param metric of vectors; null for texts
 * @param collection the property's identity by type, in all types of which the variable was declared: the values that
 *     count for statistics
 * @param annotated whether the property has {@code @search} in all these types
 */
public record SearchedBy(
        @Nullable AnalyzerName analyzer,
        @Nullable VectorMetric metric,
        Map<Integer, Integer> collection,
        boolean annotated) {
    public SearchedBy {
        collection = Map.copyOf(collection);
    }

    /** The types of the collection, ascending. */
    public List<Integer> types() {
        return collection.keySet().stream().sorted().toList();
    }
}
