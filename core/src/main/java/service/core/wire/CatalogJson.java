package service.core.wire;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.SchemaRecord;
import service.core.json.JsonWriter;
import service.core.schema.Annotation;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.InterfaceType;
import service.core.schema.Property;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * {@code GET /catalog}: the compiled schema, for programs that draw forms, complete names or make code. Types stand in
 * the order of the schema, properties too, those of interfaces first. Any thread.
 */
public final class CatalogJson {
    private CatalogJson() {}

    public static void write(JsonWriter json, SchemaRecord schema) {
        Catalog catalog = schema.catalog();
        json.beginObject();
        json.field("schema_digest").string(schema.digest());
        json.field("graph_commit_id").string(schema.commitId().toString());
        json.field("nodes").beginArray();
        catalog.nodes().forEach(node -> type(json, node));
        json.endArray().field("edges").beginArray();
        catalog.edges().forEach(edge -> type(json, edge));
        json.endArray().field("interfaces").beginArray();
        catalog.interfaces().forEach(type -> ofInterface(json, type, catalog));
        json.endArray().endObject();
    }

    /** A node type or an edge type. */
    static void type(JsonWriter json, EntityType type) {
        begin(json, type);
        switch (type) {
            case EntityType.NodeType node -> texts(json, "interfaces", node.interfaces());
            case EntityType.EdgeType edge -> {
                end(json, "from", edge.source());
                end(json, "to", edge.destination());
                if (edge.cardinality().isBounded()) {
                    json.field("cardinality").string(edge.cardinality().text());
                }
            }
        }
        key(json, type);
        json.endObject();
    }

    private static void key(JsonWriter json, EntityType type) {
        texts(
                json,
                "key",
                type.key().stream().map(member -> member(type, member)).toList());
    }

    private static void end(JsonWriter json, String name, EdgeEnd end) {
        json.field(name).beginObject();
        json.field("declared").string(end.text());
        json.field("typed_ids").value(end.wide());
        texts(json, "types", end.types().stream().map(EdgeEnd.NodeName::name).toList());
        json.endObject();
    }

    static void ofInterface(JsonWriter json, InterfaceType type, Catalog catalog) {
        json.beginObject().field("name").string(type.name());
        json.field("identity").value(type.identity());
        properties(json, type.properties());
        texts(
                json,
                "implementers",
                type.implementers().stream()
                        .map(identity -> catalog.requireType(identity).name())
                        .toList());
        json.endObject();
    }

    private static void begin(JsonWriter json, EntityType type) {
        json.beginObject().field("name").string(type.name());
        json.field("identity").value(type.identity());
        annotations(json, type.annotations());
        properties(json, type.properties());
        json.field("indexes").beginArray();
        for (IndexDefinition index : type.indexes()) {
            json.beginObject();
            texts(
                    json,
                    "members",
                    index.members().stream().map(member -> member(type, member)).toList());
            json.field("unique").value(index.unique()).endObject();
        }
        json.endArray().field("constraints").beginArray();
        type.constraints().forEach(constraint -> constraint(json, type, constraint));
        json.endArray();
    }

    private static void constraint(JsonWriter json, EntityType type, Constraint constraint) {
        json.beginObject();
        switch (constraint) {
            case Constraint.Unique unique -> {
                json.field("kind").string("unique");
                texts(
                        json,
                        "members",
                        unique.members().stream()
                                .map(member -> member(type, member))
                                .toList());
            }
            case Constraint.Range range -> {
                json.field("kind").string("range");
                texts(json, "members", List.of(member(type, range.property())));
                PropertyType of =
                        Objects.requireNonNull(type.property(range.property())).type();
                bound(json, "min", range.min(), of);
                bound(json, "max", range.max(), of);
            }
            case Constraint.Check check -> {
                json.field("kind").string("check");
                texts(json, "members", List.of(member(type, check.property())));
                json.field("pattern").string(check.pattern());
            }
        }
        json.endObject();
    }

    private static void bound(JsonWriter json, String name, @Nullable Value value, PropertyType type) {
        if (value != null) {
            json.field(name).value(value, type);
        }
    }

    private static void properties(JsonWriter json, List<Property> properties) {
        json.field("properties").beginArray();
        properties.forEach(property -> property(json, property));
        json.endArray();
    }

    static void property(JsonWriter json, Property property) {
        json.beginObject().field("name").string(property.name());
        json.field("identity").value(property.identity());
        json.field("type").string(property.type().toString());
        StoredQueryJson.type(json, property.type());
        json.field("nullable").value(property.nullable());
        if (property.defaultValue() != null) {
            json.field("default").value(property.defaultValue(), property.type());
        }
        annotations(json, property.annotations());
        json.endObject();
    }

    private static void annotations(JsonWriter json, List<Annotation> annotations) {
        json.field("annotations").beginArray();
        for (Annotation annotation : annotations) {
            json.beginObject().field("name").string(annotation.name());
            if (annotation.argument() != null) {
                json.field("argument").string(annotation.argument());
            }
            if (!annotation.named().isEmpty()) {
                json.field("named").beginObject();
                for (Map.Entry<String, String> named : new TreeMap<>(annotation.named()).entrySet()) {
                    json.field(named.getKey()).string(named.getValue());
                }
                json.endObject();
            }
            json.endObject();
        }
        json.endArray();
    }

    /** The name of a member of an index or constraint, which may be an end of an edge. */
    private static String member(EntityType type, int member) {
        return switch (member) {
            case Constraint.SRC -> "@src";
            case Constraint.DST -> "@dst";
            default -> Objects.requireNonNull(type.property(member)).name();
        };
    }

    private static void texts(JsonWriter json, String name, List<String> texts) {
        json.field(name).beginArray();
        texts.forEach(json::string);
        json.endArray();
    }
}
