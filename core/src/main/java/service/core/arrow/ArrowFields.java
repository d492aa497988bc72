package service.core.arrow;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.schema.Catalog;
import service.core.value.ValueType;

/** The columns of a stream. */
public final class ArrowFields {
    private final Catalog catalog;
    private final List<ArrowType.Field> fields = new ArrayList<>();

    /** No columns; entities of them have the properties that the catalog declares. */
    public ArrowFields(Catalog catalog) {
        this.catalog = catalog;
    }

    /** Adds a column; a null type is that of nothing but nulls. */
    public void add(String name, @Nullable ValueType type) {
        fields.add(new ArrowType.Field(name, ArrowType.of(type, catalog)));
    }

    List<ArrowType.Field> fields() {
        return fields;
    }
}
