package service.core.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.event.SchemaChange;
import service.core.json.JsonWriter;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.InterfaceType;
import service.core.schema.Property;

/**
 * The change of the schema that a commit brought: the steps as the event has them, with a {@code definition} where
 * consumers make or alter a table. A step {@code add_type} has the new type, any other step with a property has that
 * property as it is after the commit; both are written as {@code GET /catalog} writes them. What was dropped has no
 * definition. Steps that concern a whole type that exists have none either, so that a block grows with its steps and
 * not with their product with the type. Any thread.
 */
final class SchemaChangeJson {
    private static final ObjectMapper STEPS = new ObjectMapper();

    private SchemaChangeJson() {}

    /** @param after the schema that the change brought */
    static void write(JsonWriter json, SchemaChange change, Catalog after) {
        json.beginObject().field("schema_digest").string(change.digest());
        json.field("steps").beginArray();
        for (String step : change.steps()) {
            step(json, step, after);
        }
        json.endArray().endObject();
    }

    private static void step(JsonWriter json, String text, Catalog after) {
        JsonNode step;
        try {
            step = STEPS.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a step of a schema change is no JSON: " + text, e);
        }
        json.beginObject();
        for (Map.Entry<String, JsonNode> field : step.properties()) {
            json.field(field.getKey()).json(field.getValue().toString().getBytes(StandardCharsets.UTF_8));
        }
        String type = step.path("type_name").asText();
        switch (step.path("kind").asText()) {
            case "node" -> definition(json, step, after.node(type));
            case "edge" -> definition(json, step, after.edge(type));
            case "interface" -> definition(json, step, after, after.interfaceType(type));
            default -> {}
        }
        json.endObject();
    }

    private static void definition(JsonWriter json, JsonNode step, @Nullable EntityType type) {
        if (type == null) {
            return;
        }
        if (addsType(step)) {
            json.field("definition");
            CatalogJson.type(json, type);
        } else {
            definition(json, type.property(step.path("property").asText()));
        }
    }

    private static void definition(JsonWriter json, JsonNode step, Catalog after, @Nullable InterfaceType type) {
        if (type == null) {
            return;
        }
        if (addsType(step)) {
            json.field("definition");
            CatalogJson.ofInterface(json, type, after);
            return;
        }
        String name = step.path("property").asText();
        for (Property property : type.properties()) {
            if (property.name().equals(name)) {
                definition(json, property);
            }
        }
    }

    private static void definition(JsonWriter json, @Nullable Property property) {
        if (property != null) {
            json.field("definition");
            CatalogJson.property(json, property);
        }
    }

    private static boolean addsType(JsonNode step) {
        return step.path("step").asText().equals("add_type");
    }
}
