package service.core.arrow;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.json.EntityJson;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.EntityKind;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.ValueType;

/** What a column is in Arrow. */
sealed interface ArrowType {
    /** Types without parameters. */
    enum Plain implements ArrowType {
        NULL,
        BOOL,
        I32,
        I64,
        U32,
        U64,
        F32,
        F64,
        DATE,
        DATETIME,
        /** An integer that fits I64 or U64: decimal128(20, 0). */
        INTEGER,
        TEXT,
        /** A value without a type in Arrow: its JSON as a text. */
        JSON
    }

    /** Words by their position, as a dictionary. */
    record Words(List<String> values) implements ArrowType {}

    record ListOf(ArrowType item) implements ArrowType {}

    /** Floats of 32 bits. */
    record Vector(int dimensions) implements ArrowType {}

    /** Named values. */
    record Struct(List<Field> fields) implements ArrowType {}

    /**
     * A node or an edge: the fields that do not begin with {@code @} are properties.
     *
     * @param ofTypes the names of the fields that each type has; empty where there is one type
     */
    record Entity(List<Field> fields, Map<String, List<String>> ofTypes) implements ArrowType {}

    /** A walk: {@code length}, perhaps {@code cost}, {@code nodes}, {@code edges}. */
    record Path(List<Field> fields) implements ArrowType {}

    record Field(String name, ArrowType type) {}

    /** The Arrow type of values; a null type is that of nothing but nulls. */
    static ArrowType of(@Nullable ValueType type, Catalog catalog) {
        return switch (type) {
            case null -> Plain.NULL;
            case PropertyType.Scalar(ScalarType scalar) -> scalar(scalar);
            case PropertyType.EnumOf words -> new Words(words.values());
            case PropertyType.ListOf list -> new ListOf(scalar(list.item()));
            case PropertyType.VectorOf vector -> new Vector(vector.dimensions());
            case PropertyType.AnyInteger ignored -> Plain.INTEGER;
            case ValueType.ListOf list -> new ListOf(of(list.item(), catalog));
            case ValueType.Entity entity -> entity(entity, catalog);
            case ValueType.Struct struct ->
                new Struct(struct.fields().stream()
                        .map(field -> new Field(field.name(), of(field.type(), catalog)))
                        .toList());
            case ValueType.Path path -> {
                List<Field> fields = new ArrayList<>();
                fields.add(new Field("length", Plain.I32));
                if (path.isCosted()) {
                    fields.add(new Field("cost", Plain.F64));
                }
                fields.add(new Field("nodes", new ListOf(of(path.nodes(), catalog))));
                fields.add(new Field("edges", new ListOf(of(path.edges(), catalog))));
                yield new Path(fields);
            }
        };
    }

    private static ArrowType scalar(ScalarType type) {
        return switch (type) {
            case STRING -> Plain.TEXT;
            case BOOL -> Plain.BOOL;
            case I32 -> Plain.I32;
            case I64 -> Plain.I64;
            case U32 -> Plain.U32;
            case U64 -> Plain.U64;
            case F32 -> Plain.F32;
            case F64 -> Plain.F64;
            case DATE -> Plain.DATE;
            case DATETIME -> Plain.DATETIME;
            case BLOB -> Plain.JSON;
        };
    }

    private static Entity entity(ValueType.Entity entity, Catalog catalog) {
        Map<String, ArrowType> fields = new LinkedHashMap<>();
        Map<String, List<String>> ofTypes = new LinkedHashMap<>();
        fields.put("@id", Plain.TEXT);
        fields.put("@type", Plain.TEXT);
        if (entity.kind() == EntityKind.EDGE) {
            fields.put("@src", Plain.TEXT);
            fields.put("@dst", Plain.TEXT);
        }
        List<String> ofAll = List.copyOf(fields.keySet());
        for (int identity : entity.types()) {
            EntityType type = catalog.requireType(identity);
            List<String> names = new ArrayList<>(ofAll);
            // JSON shows the type of an end where several may stand.
            if (type instanceof EntityType.EdgeType edge && edge.source().wide()) {
                names.add("@src_type");
            }
            if (type instanceof EntityType.EdgeType edge && edge.destination().wide()) {
                names.add("@dst_type");
            }
            names.forEach(name -> fields.putIfAbsent(name, Plain.TEXT));
            for (Property property : type.properties()) {
                if (EntityJson.isShown(property.type())) {
                    // A property that types declare differently is the JSON of its values.
                    ArrowType declared = of(property.type(), catalog);
                    fields.merge(property.name(), declared, (one, other) -> one.equals(other) ? one : Plain.JSON);
                    names.add(property.name());
                }
            }
            ofTypes.put(type.name(), names);
        }
        return new Entity(
                fields.entrySet().stream()
                        .map(field -> new Field(field.getKey(), field.getValue()))
                        .toList(),
                ofTypes.size() > 1 ? ofTypes : Map.of());
    }
}
