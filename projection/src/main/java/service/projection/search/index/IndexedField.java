package service.projection.search.index;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.port.GraphView;
import service.core.port.SearchStatus;
import service.core.port.TextIndex;
import service.core.schema.AnalyzerName;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.schema.VectorMetric;
import service.projection.search.Analysis;
import service.projection.search.Scores;
import service.projection.search.TextAnalyzer;

/**
 * A searched text or vector of a type, as a field of the documents of an index.
 *
 * @param type identity of the type
 * @param property with an analyzer or a metric
 */
record IndexedField(int type, SearchStatus.Property named, Property property) {
    /** The searched texts of a schema. */
    static List<IndexedField> of(Catalog catalog) {
        return of(catalog, property -> property.analyzer() != null);
    }

    /** The searched vectors of a schema. */
    static List<IndexedField> vectors(Catalog catalog) {
        return of(catalog, property -> property.metric() != null);
    }

    private static List<IndexedField> of(Catalog catalog, Predicate<Property> isSearched) {
        List<EntityType> types = new ArrayList<>(catalog.nodes());
        types.addAll(catalog.edges());
        List<IndexedField> fields = new ArrayList<>();
        for (EntityType type : types) {
            for (Property property : type.properties()) {
                if (isSearched.test(property)) {
                    fields.add(new IndexedField(
                            type.identity(),
                            new SearchStatus.Property(type.kind(), type.name(), property.name()),
                            property));
                }
            }
        }
        return fields;
    }

    /** The field of a property; null when the list has none. */
    static @Nullable IndexedField find(List<IndexedField> fields, int type, int property) {
        for (IndexedField field : fields) {
            if (field.type == type && field.property.identity() == property) {
                return field;
            }
        }
        return null;
    }

    /** Name of the field that has the terms. */
    String terms() {
        return type + "." + property.identity();
    }

    /** Name of the field that has the number of terms of each text. */
    String length() {
        return terms() + "#";
    }

    AnalyzerName analyzer() {
        AnalyzerName name = property.analyzer();
        if (name == null) {
            throw new IllegalStateException(property.name() + " is not searched");
        }
        return name;
    }

    /** Name of the field that says which vectors the graph does not have. */
    String others() {
        return terms() + "!";
    }

    /** Tells two fields apart that give documents different terms or vectors. */
    String mark() {
        VectorMetric metric = property.metric();
        String how = metric == null ? analyzer().text() : metric.text() + " " + property.type();
        return terms() + ":" + how + ":" + property.missing();
    }

    /** How Lucene compares vectors that {@link #comparable} gives. */
    VectorSimilarityFunction similarity() {
        return switch (Objects.requireNonNull(property.metric())) {
            case COSINE -> VectorSimilarityFunction.DOT_PRODUCT;
            case DOT -> VectorSimilarityFunction.MAXIMUM_INNER_PRODUCT;
            case L2 -> VectorSimilarityFunction.EUCLIDEAN;
        };
    }

    /** A vector as it is compared: with length 1 for the cosine, and null there when it has no direction. */
    float @Nullable [] comparable(float[] vector) {
        if (property.metric() != VectorMetric.COSINE) {
            return vector;
        }
        double length = Math.sqrt(Scores.square(vector));
        if (length == 0) {
            return null;
        }
        float[] unit = new float[vector.length];
        for (int i = 0; i < unit.length; i++) {
            unit[i] = (float) (vector[i] / length);
        }
        return unit;
    }

    /** A column for its values. */
    Column column() {
        return GraphView.columnFor(property.type());
    }

    /**
     * Gives the terms of a value to a sink.
     *
     * @param row of a column that {@link GraphView#read} has filled, not null
     */
    void analyse(TextIndex.Payer payer, Column values, int row, TextAnalyzer.TermSink sink) {
        Analysis.terms(payer, TextAnalyzer.of(analyzer()), values, row, sink);
    }
}
