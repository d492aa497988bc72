package service.projection.search.index;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.port.GraphView;
import service.core.port.SearchStatus;
import service.core.port.TextIndex;
import service.core.schema.AnalyzerName;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.projection.search.Analysis;
import service.projection.search.TextAnalyzer;

/**
 * A searched text of a type, as a field of the documents of an index.
 *
 * @param type identity of the type
 * @param property with an analyzer
 */
record IndexedField(int type, SearchStatus.Property named, Property property) {
    /** The searched texts of a schema. */
    static List<IndexedField> of(Catalog catalog) {
        List<EntityType> types = new ArrayList<>(catalog.nodes());
        types.addAll(catalog.edges());
        List<IndexedField> fields = new ArrayList<>();
        for (EntityType type : types) {
            for (Property property : type.properties()) {
                if (property.analyzer() != null) {
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

    /** Tells two fields apart that give documents different terms. */
    String mark() {
        return terms() + ":" + analyzer().text() + ":" + property.missing();
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
