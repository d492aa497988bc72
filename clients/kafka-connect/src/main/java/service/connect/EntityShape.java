package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;

/**
 * A node or edge type in one version of the schema: the topic of its entities and their Connect schemas. Any thread.
 */
final class EntityShape {
    private static final int TOPIC_MAX = 249;

    final String name;
    final boolean edge;
    final String topic;
    final Schema keySchema;
    final Schema rowSchema;
    final Schema envelopeSchema;

    private final boolean isKeyTyped;
    private final List<Column> columns = new ArrayList<>();

    /** The one type at each end of an edge; null where several may stand, and then images name it. */
    private final @Nullable String onlyFrom;

    private final @Nullable String onlyTo;

    /**
     * @param type as the catalog has it
     * @param version of the schema
     */
    EntityShape(GraphSourceConfig config, JsonNode type, int version) {
        this.name = type.path("name").asText();
        this.edge = type.has("from");
        this.topic = config.topic(name);
        if (topic.length() > TOPIC_MAX) {
            throw new ConnectException("the topic " + topic + " has " + topic.length() + " characters, more than "
                    + TOPIC_MAX + ": set a shorter `topic.prefix`, or `topic`");
        }
        this.onlyFrom = only(type.path("from"));
        this.onlyTo = only(type.path("to"));
        String base = config.prefix() + "." + config.graph() + "." + name;
        this.isKeyTyped = config.isOneTopic();
        SchemaBuilder key = SchemaBuilder.struct().name(isKeyTyped ? topic + ".Key" : base + ".Key");
        if (isKeyTyped) {
            key.field("type", Schema.STRING_SCHEMA);
        }
        // The fields of a key never change, and its version neither.
        this.keySchema = key.version(1).field("id", Schema.STRING_SCHEMA).build();
        SchemaBuilder row = SchemaBuilder.struct()
                .name(base + ".Value")
                .version(version)
                .optional()
                .field("id", Schema.STRING_SCHEMA);
        if (edge) {
            row.field("src", Schema.STRING_SCHEMA)
                    .field("src_type", Schema.STRING_SCHEMA)
                    .field("dst", Schema.STRING_SCHEMA)
                    .field("dst_type", Schema.STRING_SCHEMA);
        }
        for (JsonNode property : type.path("properties")) {
            Column column = Column.of(property);
            columns.add(column);
            row.field(column.name(), column.schema());
        }
        this.rowSchema = row.build();
        this.envelopeSchema = Envelope.schema(base + ".Envelope", version, rowSchema);
    }

    private static @Nullable String only(JsonNode end) {
        return end.isMissingNode() || end.path("typed_ids").asBoolean()
                ? null
                : end.path("types").path(0).asText();
    }

    /** The key of an entity. The empty id, which no entity has, is that of the whole type. */
    Struct key(String id) {
        Struct key = new Struct(keySchema).put("id", id);
        return isKeyTyped ? key.put("type", name) : key;
    }

    /**
     * The image of an entity.
     *
     * @param properties by their names; {@code id} may be among them
     * @param ends has the fields {@code from} and {@code to} of an edge
     * @throws StaleSchemaException where it has a property that this type does not have
     */
    Struct row(String id, JsonNode properties, JsonNode ends) throws StaleSchemaException {
        Struct row = new Struct(rowSchema).put("id", id);
        if (edge) {
            end(row, "src", ends.path("from"), onlyFrom);
            end(row, "dst", ends.path("to"), onlyTo);
        }
        int read = properties.has("id") ? 1 : 0;
        for (Column column : columns) {
            JsonNode value = properties.get(column.name());
            if (value != null) {
                read++;
                if (!value.isNull()) {
                    row.put(column.name(), column.value(value));
                }
            }
        }
        if (read != properties.size()) {
            throw new StaleSchemaException(name, unknown(properties));
        }
        return row;
    }

    private String unknown(JsonNode properties) {
        for (Iterator<String> names = properties.fieldNames(); names.hasNext(); ) {
            String each = names.next();
            if (!each.equals("id") && rowSchema.field(each) == null) {
                return each;
            }
        }
        return "";
    }

    private static void end(Struct row, String field, JsonNode end, @Nullable String only) {
        boolean isTyped = end.isObject();
        row.put(field, isTyped ? end.path("id").asText() : end.asText());
        row.put(field + "_type", isTyped || only == null ? end.path("type").asText() : only);
    }
}
