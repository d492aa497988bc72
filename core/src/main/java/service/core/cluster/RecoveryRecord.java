package service.core.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.json.Json;

/**
 * An announced step that moves a graph. It is written before the step and removed after the ledger. A record that is
 * found at the start of a command shows that a process ended in between.
 *
 * @param id ULID
 * @param schemaDigest the digest of the schema resource after the step; null for a deletion
 * @param settings the settings of a graph that is created, as in the ledger; else null
 * @param createdAt RFC 3339
 */
record RecoveryRecord(
        String id,
        Operation operation,
        String graphId,
        @Nullable String schemaDigest,
        @Nullable String settings,
        @Nullable String actor,
        String createdAt) {
    /** The steps that move a graph. */
    enum Operation {
        CREATE_GRAPH("create"),
        MIGRATE_SCHEMA("migrate the schema of"),
        DELETE_GRAPH("delete");

        private final String words;

        Operation(String words) {
            this.words = words;
        }

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What the step does, such as {@code create graph `people`}. */
    String words() {
        return operation.words + " graph `" + graphId + "`";
    }

    ObjectNode json() {
        ObjectNode json = Json.object()
                .put("recovery_id", id)
                .put("operation", operation.wireName())
                .put("graph_id", graphId)
                .put("schema_digest", schemaDigest)
                .put("actor", actor)
                .put("created_at", createdAt);
        if (settings != null) {
            json.set("settings", Json.read(settings, "settings"));
        }
        return json;
    }

    /**
     * Reads a record.
     *
     * @throws IllegalArgumentException when it lacks something
     * @throws service.core.error.ServiceException when it is not JSON
     */
    static RecoveryRecord parse(byte[] bytes) {
        ObjectNode json = Json.readObject(bytes, "the recovery record");
        return new RecoveryRecord(
                required(json, "recovery_id"),
                Operation.valueOf(required(json, "operation").toUpperCase(Locale.ROOT)),
                required(json, "graph_id"),
                text(json, "schema_digest"),
                json.has("settings") ? json.get("settings").toString() : null,
                text(json, "actor"),
                required(json, "created_at"));
    }

    private static String required(JsonNode json, String field) {
        String text = text(json, field);
        if (text == null) {
            throw new IllegalArgumentException("it has no `" + field + "`");
        }
        return text;
    }

    private static @Nullable String text(JsonNode json, String field) {
        return json.path(field).isTextual() ? json.get(field).asText() : null;
    }
}
