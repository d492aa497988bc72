package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;

/**
 * A property of a type. Any thread.
 *
 * @param kind of the value, or of the elements of a list or vector
 */
record Column(String name, ValueKind kind, boolean isList, Schema schema) {
    /**
     * The column of a property.
     *
     * @param property as the catalog has it
     */
    static Column of(JsonNode property) {
        String type = property.path("type").asText();
        boolean isVector = type.startsWith("Vector(");
        boolean isList = isVector || type.startsWith("[");
        ValueKind kind =
                isVector ? ValueKind.F32 : ValueKind.named(isList ? type.substring(1, type.length() - 1) : type);
        SchemaBuilder schema = isList ? SchemaBuilder.array(kind.schema().build()) : kind.schema();
        if (property.path("nullable").asBoolean()) {
            // No default here: converters would put it in the place of null.
            schema.optional();
        } else if (property.hasNonNull("default")) {
            schema.defaultValue(read(kind, isList, property.get("default"), schema));
        }
        return new Column(property.path("name").asText(), kind, isList, schema.build());
    }

    /** The value in Connect of a value in JSON. */
    Object value(JsonNode json) {
        return read(kind, isList, json, schema);
    }

    private static Object read(ValueKind kind, boolean isList, JsonNode json, Schema schema) {
        if (!isList) {
            return kind.value(json, schema);
        }
        List<Object> values = new ArrayList<>(json.size());
        json.forEach(each -> values.add(kind.value(each, schema.valueSchema())));
        return values;
    }
}
