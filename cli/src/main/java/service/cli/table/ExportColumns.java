package service.cli.table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** The columns of an exported file. */
final class ExportColumns {
    static final String OPERATION = "op";
    static final String COMMIT = "graph_commit_id";
    static final String OFFSET = "log_offset";
    static final String ACTOR = "actor_id";
    static final String TIME = "created_at";

    private static final PropertyType LONG = new PropertyType.Scalar(ScalarType.I64);
    private static final PropertyType DATETIME = new PropertyType.Scalar(ScalarType.DATETIME);

    private final List<String> names = new ArrayList<>();
    private final List<PropertyType> types = new ArrayList<>();

    /** The columns of what is no property. */
    private final Map<String, Integer> fixed = new HashMap<>();

    /** The columns of properties; of changes, those of the values before. */
    private final Map<String, Integer> properties = new HashMap<>();

    private final int count;

    private ExportColumns(EntityType type) {
        count = type.properties().size();
    }

    /** Those of the entities of a type. */
    static ExportColumns ofEntities(EntityType type) {
        ExportColumns columns = new ExportColumns(type);
        columns.addIds(type);
        columns.addProperties(type, "");
        return columns;
    }

    /** Those of the changes of a type: a column for each value before the change, then one for each value after it. */
    static ExportColumns ofChanges(EntityType type) {
        ExportColumns columns = new ExportColumns(type);
        columns.add(OPERATION, PropertyType.STRING);
        columns.add(COMMIT, PropertyType.STRING);
        columns.add(OFFSET, LONG);
        columns.add(ACTOR, PropertyType.STRING);
        columns.add(TIME, DATETIME);
        columns.addIds(type);
        columns.addProperties(type, "before_");
        columns.addProperties(type, "after_");
        return columns;
    }

    private void addIds(EntityType type) {
        add(TableColumns.ID, PropertyType.STRING);
        if (type instanceof EntityType.EdgeType edge) {
            add(TableColumns.SOURCE, PropertyType.STRING);
            add(TableColumns.DESTINATION, PropertyType.STRING);
            if (edge.source().wide()) {
                add(TableColumns.SOURCE_TYPE, PropertyType.STRING);
            }
            if (edge.destination().wide()) {
                add(TableColumns.DESTINATION_TYPE, PropertyType.STRING);
            }
        }
    }

    private void add(String name, PropertyType type) {
        fixed.put(name, names.size());
        names.add(name);
        types.add(type);
    }

    private void addProperties(EntityType type, String prefix) {
        for (Property property : type.properties()) {
            properties.putIfAbsent(property.name(), names.size());
            names.add(prefix + property.name());
            types.add(property.type());
        }
    }

    List<String> names() {
        return names;
    }

    List<PropertyType> types() {
        return types;
    }

    /** The column of an id, or of what a change says of its commit. */
    int fixed(String name) {
        return Objects.requireNonNull(fixed.get(name));
    }

    /** The column of a property; null where the type has none of that name. */
    @Nullable
    Integer property(String name) {
        return properties.get(name);
    }

    /** The number of the column of a value after a change, less that of the same property before it. */
    int distance() {
        return count;
    }
}
