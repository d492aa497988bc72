package service.core.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.json.Json;

/**
 * {@code __cluster/state.json}: the applied state of a cluster. Every write is a new revision.
 *
 * @param clusterId ULID, minted by the first apply
 * @param incarnation ULID, minted with it; different after a root was created again
 * @param revision from 1, one more with each write
 * @param applied null before the first apply is complete
 */
record Ledger(
        String clusterId,
        String incarnation,
        long revision,
        @Nullable Applied applied) {
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    /**
     * The applied revision.
     *
     * @param appliedAt RFC 3339
     * @param resources by address, without their content, which is in the catalog
     */
    record Applied(
            String configDigest,
            String appliedAt,
            @Nullable String appliedBy,
            NavigableMap<String, Resource> resources) {}

    byte[] toBytes() {
        ObjectNode root = JSON.createObjectNode()
                .put("version", VERSION)
                .put("cluster_id", clusterId)
                .put("incarnation", incarnation)
                .put("ledger_revision", revision);
        if (applied == null) {
            root.putNull("applied");
        } else {
            ObjectNode state = root.putObject("applied")
                    .put("config_digest", applied.configDigest())
                    .put("applied_at", applied.appliedAt())
                    .put("applied_by", applied.appliedBy());
            ObjectNode resources = state.putObject("resources");
            applied.resources().forEach((address, resource) -> write(resources.putObject(address), resource));
        }
        root.putObject("statuses");
        root.putArray("approvals");
        root.putArray("recoveries");
        try {
            return (JSON.writeValueAsString(root) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(ObjectNode node, Resource resource) {
        node.put("digest", resource.digest());
        if (resource.kind() == Resource.Kind.POLICY) {
            ArrayNode bindings = node.putArray("applies_to");
            resource.bindings().forEach(bindings::add);
        }
        if (resource.settings() != null) {
            node.set("settings", Json.read(resource.settings(), "settings"));
        }
    }

    /**
     * Reads a ledger.
     *
     * @throws IllegalArgumentException with the fault
     */
    static Ledger parse(byte[] bytes) {
        JsonNode root = Json.readObject(bytes, "the ledger");
        if (root.path("version").asInt() != VERSION) {
            throw new IllegalArgumentException(
                    "the ledger has version " + root.path("version") + "; this build reads " + VERSION);
        }
        JsonNode applied = root.path("applied");
        return new Ledger(
                required(root, "cluster_id"),
                required(root, "incarnation"),
                root.path("ledger_revision").asLong(),
                applied.isObject() ? parseApplied(applied) : null);
    }

    private static Applied parseApplied(JsonNode node) {
        NavigableMap<String, Resource> resources = new TreeMap<>();
        node.path("resources")
                .properties()
                .forEach(entry -> resources.put(entry.getKey(), parseResource(entry.getKey(), entry.getValue())));
        return new Applied(
                required(node, "config_digest"),
                required(node, "applied_at"),
                node.path("applied_by").isTextual() ? node.path("applied_by").asText() : null,
                resources);
    }

    private static Resource parseResource(String address, JsonNode node) {
        List<String> bindings = new ArrayList<>();
        node.path("applies_to").forEach(scope -> bindings.add(scope.asText()));
        return new Resource(
                Resource.Kind.ofAddress(address),
                address,
                required(node, "digest"),
                null,
                bindings,
                node.has("settings") ? node.get("settings").toString() : null);
    }

    private static String required(JsonNode node, String field) {
        if (!node.path(field).isTextual()) {
            throw new IllegalArgumentException("the ledger has no `" + field + "`");
        }
        return node.path(field).asText();
    }
}
